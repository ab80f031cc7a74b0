"""Filters for dollars."""

from decimal import Decimal

from django import template

from annotation.pure.money.pricing import rounded

register = template.Library()


@register.filter
def dollars(amount: Decimal | str | None) -> str:
    """$1,234.50, −$0.05; a dash if unknown."""
    if amount in (None, ""):
        return "–"
    exact = rounded(Decimal(amount))
    return f"{'−' if exact < 0 else ''}${abs(exact):,}"
