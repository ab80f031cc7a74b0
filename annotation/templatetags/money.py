"""Dollars as pages print them."""

from __future__ import annotations

from decimal import Decimal

from django import template

from annotation.pure.pricing import rounded

register = template.Library()


@register.filter
def dollars(amount: Decimal | str | None) -> str:
    """$1,234.50, −$0.05; a dash for nothing known."""
    if amount in (None, ""):
        return "–"
    exact = rounded(Decimal(amount))
    return f"{'−' if exact < 0 else ''}${abs(exact):,}"
