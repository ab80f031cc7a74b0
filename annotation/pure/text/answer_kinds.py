"""What an answer is by its spelling: a name, a date, a number, yes or no, or other words."""

import re

from annotation.pure.text.named_entities import is_counting, is_name
from annotation.pure.text.translation_marks import gettext_noop as _

NO_ANSWER, YES_NO, DATE, NUMBER, NAME, WORDS = "none", "yes_no", "date", "number", "name", "words"
KINDS = {
    NAME: _("name"), WORDS: _("words"), NUMBER: _("number"), DATE: _("date"), YES_NO: _("yes/no"),
    NO_ANSWER: _("none"),
}  # fmt: skip
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]}|t)?\.?" if month[3:] else month for month in _MONTHS)
_YEAR = r"1[0-9]{3}|20[0-9]{2}"
_DATE = re.compile(rf"\b(?:{_MONTH})\W+\d|\d(?:st|nd|rd|th)?\W+(?:of )?(?:{_MONTH})\b|\b(?:{_YEAR})\b", re.I)


def kind_of(answer: str | None) -> str:
    """One of KINDS; English only, since month names and number words are."""
    text = (answer or "").strip()
    if not text:
        return NO_ANSWER
    if text.lower() in {"yes", "no"}:
        return YES_NO
    if is_counting(text):
        return DATE if _DATE.search(text) else NUMBER
    return NAME if is_name(text) else WORDS
