"""Filters for pages of ratings: texts in the reader's language, options of a criterion, fields with their titles."""

import json
from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, EXTRA, SCALE, TEXT, TIE, Rubric, parse
from annotation.pure.ratings.showing import passages_of
from annotation.pure.text.languages import Text
from annotation.pure.text.translation_marks import gettext_noop
from annotation.templatetags.language_tags import in_language
from annotation.views.markdown_html import html_of, html_of_stranger

register = template.Library()
TITLES = {
    "question": gettext_noop("Question"),
    "answer": gettext_noop("Answer"),
    "answers": gettext_noop("Answers"),
    "paragraphs": gettext_noop("Paragraphs"),
    "hops": gettext_noop("Hops"),
    "options": gettext_noop("Options"),
    "candidate": gettext_noop("Candidate"),  # with those below fields of the presets
    "steps": gettext_noop("Steps"),
    "claims": gettext_noop("Claims"),
}

SHARED = BEST, CHOICE, CHOICES, SCALE  # kinds whose controls show nothing of the element that is rated


@register.filter
def controls_key(cell: dict[str, Any]) -> str:
    """The same for cells whose controls differ only in the names of their fields; "" for a kind that shows more."""
    kind = cell["criterion"]["kind"]
    return repr((cell["criterion"], cell["value"], len(cell["candidates"]))) if kind in SHARED else ""


@register.filter
def parsed_rubric(value: Any) -> Rubric:
    """A stored rubric."""
    return parse(value)


@register.filter
def rubric_text(text: Text) -> str:
    """A rubric's text in the reader's language: the requester's own, else the translation of a preset's."""
    own = in_language(text)
    return _(own) if own else ""


@register.filter
def shown_title(part: dict[str, Any]) -> str:
    """The title over a field: the rubric's, else of a role its word, else the field's name."""
    name = part["field"].removeprefix(EXTRA)
    own = rubric_text(part["title"]) if part["title"] else ""
    return own or (_(TITLES[name]) if name in TITLES else name.replace("_", " ").capitalize())


@register.filter
def formatted(part: dict[str, Any]) -> SafeString:
    """A field's Markdown or HTML, sanitised."""
    return html_of(part["value"]) if part["look"] == "markdown" else html_of_stranger(part["value"])


@register.filter
def options_of(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """What can be chosen in a criterion, as {"value", "number", "label", "chosen", "key"}.

    `number`: the point of a scale, else ""; `key`: the digit that chooses it, which is the number in a scale within 0
    to 9, else the position; "" with more.
    """
    criterion, value = cell["criterion"], cell["value"]
    is_scale, chosen = criterion["kind"] == SCALE, value if isinstance(value, list) else [value]
    labels = {each[0]: each[1] for each in criterion.get("labels", [])}
    values = criterion["values"]
    if criterion["kind"] == BEST:
        values = [*range(1, len(cell["candidates"]) + 1), *([TIE] if criterion.get("tie") else [])]
        labels = {each: _("Candidate %(n)s") % {"n": each} for each in values} | {TIE: _("Equally good")}
    direct = is_scale and values[0] >= 0 and values[-1] <= 9
    keys = values if direct else range(1, len(values) + 1) if len(values) <= 9 else [""] * len(values)
    return [
        {
            "value": str(each),
            "number": str(each) if is_scale else "",
            "label": rubric_text(labels.get(each, "" if is_scale else each)),
            "chosen": str(each) in chosen,
            "key": str(key),
        }
        for each, key in zip(values, keys, strict=True)
    ]


@register.filter
def in_words(value: str, kind: str) -> str:
    """A value as rows of a comparison have it, a tie of `best` in the reader's language."""
    return _("Equally good") if (kind, value) == (BEST, TIE) else value


@register.filter
def values_and_changes(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Each response's value in a row of a comparison, with what became of a text that was there to be corrected."""
    return list(zip(row["values"], row["changes"], strict=True))


@register.filter
def points_of(criterion: dict[str, Any]) -> str:
    """The same for scales that stand below each other in a grid, else the criterion's name."""
    return repr(criterion["values"]) if criterion["kind"] == SCALE else criterion["name"]


@register.filter
def condition_of(criterion: dict[str, Any]) -> str:
    """The values of other criteria for which this one is asked, as JSON for scripts; "" for always."""
    asked = {name: list(map(str, values)) for name, values in criterion.get("if", {}).items()}
    return json.dumps(asked) if asked else ""


@register.filter
def arrangement(payload: dict[str, Any]) -> str:
    """How the page is laid out: a "deck" with one decision below what is read; "wide" rows of passages; "split"."""
    criteria = payload["criteria"]
    if len(criteria) == 1 and not criteria[0]["each"] and criteria[0]["kind"] in (SCALE, CHOICE, BEST):
        return "deck" if len(criteria[0]["values"]) <= 9 else "split"
    return "wide" if any(each["look"] == "passages" for each in payload["lists"].values()) else "split"


@register.filter
def kinds(payload: dict[str, Any]) -> set[str]:
    """The kinds of criteria of a payload."""
    return {each["kind"] for each in payload["criteria"]}


@register.filter
def waits(payload: dict[str, Any]) -> bool:
    """Whether the last key does not send the response, because an optional text may follow."""
    last = payload["criteria"][-1]
    return last["kind"] == TEXT and not last["required"]


@register.filter
def reading(payload: dict[str, Any]) -> dict[str, Any] | None:
    """The first passages that are shown, as templates/work/answering has them; None without any."""
    part = passages_of(payload)
    controls = {"sentences": False, "support": False}
    return part and {"field": part["field"], "paragraphs": part["value"], "controls": controls}


@register.filter
def compared(payload: dict[str, Any]) -> list[list[dict[str, str]]]:
    """Candidates of which the best is chosen, once for all criteria about the same ones."""
    kinds = [payload["candidates"][each["name"]] for each in payload["criteria"] if each["kind"] == BEST]
    return [each for k, each in enumerate(kinds) if each not in kinds[:k]]


@register.filter
def given_in(given: list[dict[str, Any]], field: str) -> dict[str, str]:
    """What responses' forms post in a field -> the letters of those responses; without empty ones."""
    letters: dict[str, list[str]] = {}
    for one in given:
        if posted := one["fields"].get(field):
            letters.setdefault(posted, []).append(one["letter"])
    return {posted: ", ".join(some) for posted, some in letters.items()}
