"""The gold answer as a worker enters it on a page, and what to do about one that the page's controls cannot express."""

from collections.abc import Iterator
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import setting
from annotation.pure.text.spans import cut, locate_as_scored
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import answer_f1, is_closed_book

REFUSE, LEAVE_OUT, ALLOW = "refuse", "leave_out", "allow"
OWN_WORDS = {
    REFUSE: _("no; a launch stops where a gold answer needs them"),
    LEAVE_OUT: _("no; leave out items whose gold answer needs them"),
    ALLOW: _("yes"),
}
WAYS_OUT = _(
    "Set “Answers in workers’ own words” to “yes”, or to leave these items out; or allow the missing control, such as "
    "“yes” and “no”."
)


def own_words_field() -> Any:
    """The option of tasks that ask for an answer: what happens to gold that stands in no paragraph."""
    return setting(
        REFUSE,
        label=_("Answers in workers’ own words"),
        choices=OWN_WORDS,
        help=_("For answers that stand in no paragraph, such as computed numbers."),
    )


def with_own_words(payload: JSON, own_words: str, gold: Example) -> JSON | None:
    """The payload with the control that the option asks for; None to leave an item out."""
    if own_words == ALLOW:
        return {**payload, "controls": {**payload["controls"], "own_words": True}}
    return payload if own_words == REFUSE or is_enterable(payload, gold) else None


def gold_answer(payload: JSON, gold: Example) -> str | None:
    """The gold answer as it is entered on this page; "" for no answer; None if its controls cannot express it."""
    if gold.answerable is False:
        return "" if payload["controls"]["no_answer"] else None
    return next(_right(payload, gold), next(_entered(payload, gold), None))


def is_enterable(payload: JSON, gold: Example) -> bool:
    """Whether a worker who knows the gold answer can submit it and is then right; True without gold."""
    if payload["controls"].get("several") or not (gold.answers or gold.answerable is False):
        return True
    if gold.answerable is False:
        return bool(payload["controls"]["no_answer"])
    return any(_right(payload, gold))


def _right(payload: JSON, gold: Example) -> Iterator[str]:
    return (text for text in _entered(payload, gold) if answer_f1({"kind": "typed", "text": text}, gold) == 1)


def _entered(payload: JSON, gold: Example) -> Iterator[str]:
    texts = [p["text"] for p in payload["paragraphs"]]
    for answer in gold.answers:
        spoken = answer.strip().lower() in {"yes", "no"} and payload["controls"]["yes_no"]
        if payload["options"]:
            yield from [answer] * (answer in payload["options"])
        elif spoken or is_closed_book(payload):
            yield answer
        elif span := locate_as_scored(answer, texts, first=gold.supports or ()):
            yield cut(texts, span) or ""
        elif payload["controls"].get("own_words"):
            yield answer
