"""Tags for pages of ablated questions."""

import re

from django import template
from django.utils.translation import gettext as _

from annotation.pure.derivations.ablation_text import UNKNOWN

register = template.Library()
_GAP = re.compile(f"({re.escape(UNKNOWN)})")
_CLASSES = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ"}


@register.filter
def gaps(text: str) -> list[dict[str, object]]:
    """A text cut at dropped words: [{"text", "gap"}]; joined they are the text."""
    return [{"text": part, "gap": part == UNKNOWN} for part in _GAP.split(text) if part]


@register.filter
def class_words(name: str) -> str:
    """The label of a class, a dash if there is none."""
    return _CLASSES.get(name, _("–"))
