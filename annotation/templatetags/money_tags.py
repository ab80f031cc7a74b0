"""Filters for dollars."""

import re
from decimal import Decimal

from django import template
from django.utils.formats import get_format

from annotation.pure.money.pricing import rounded

register = template.Library()
EXAMPLE = re.compile(r"1(.)234(.)50")  # in MONEY_FORMAT of a language (annotation/locale/*/formats.py)


@register.filter
def dollars(amount: Decimal | str | None) -> str:
    """$1,234.50, −$0.05, in German 1.234,50 $; a dash if unknown."""
    if amount in (None, ""):
        return "–"
    exact = rounded(Decimal(amount))
    sign, digits = "−" if exact < 0 else "", f"{abs(exact):,}"
    written = get_format("MONEY_FORMAT")  # its own name in a language that has none
    found = EXAMPLE.search(written) or EXAMPLE.search(written := "$1,234.50")
    told = digits.translate(str.maketrans(",.", "".join(found.groups() if found else ",.")))
    return sign + EXAMPLE.sub(told, written)
