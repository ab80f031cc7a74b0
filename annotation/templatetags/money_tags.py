"""Filters for dollars."""

from decimal import Decimal

from django import template
from django.utils.translation import get_language

from annotation.pure.money.pricing import rounded

register = template.Library()
POINTS = str.maketrans(",.", ".,")


@register.filter
def dollars(amount: Decimal | str | None) -> str:
    """$1,234.50, −$0.05, in German 1.234,50 $; a dash if unknown."""
    if amount in (None, ""):
        return "–"
    exact = rounded(Decimal(amount))
    sign, digits = "−" if exact < 0 else "", f"{abs(exact):,}"
    is_german = (get_language() or "").startswith("de")
    return f"{sign}{digits.translate(POINTS)}\u00a0$" if is_german else f"{sign}${digits}"
