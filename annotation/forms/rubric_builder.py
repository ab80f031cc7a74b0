"""The rubric of a batch as rows of controls, which stand for the same text: whichever was changed last is taken.

The page says for which text its rows were made (BASIS). While the posted text is that one, the rows say what it
becomes; a text that was changed gets new rows.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from annotation.pure.ratings import builder
from annotation.pure.ratings.fields import FieldSample
from annotation.pure.ratings.rubric import KINDS
from annotation.pure.text import structured

PREFIX = "rubric-"
BASIS = f"{PREFIX}basis"
BUILD = "build"  # the button that was pressed
LAST = (builder.SWITCH, builder.CONDITION)  # forms of controls that stand below the others
ADD, DOWNLOAD = "add", "download"


def _basis_of(text: str) -> str:
    """The same for what a browser posts back: with other line ends, and maybe without the first."""
    plain = text.replace("\r\n", "\n").strip()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class RubricBuilder:
    """The rows of a rubric's `text`; `focus`: the control to go to, `renewed`: the page's rows are for another text."""

    def __init__(self, text: str, samples: Sequence[FieldSample], posted: QueryDict | None = None) -> None:
        self.text, self.samples, self.focus, self.renewed = text, samples, "", True
        self.is_changed, self.action = False, posted.get(BUILD, "") if posted else ""
        if posted is not None and posted.get(BASIS) == _basis_of(text) and self.rubric is not None:
            self._take(posted)

    def _take(self, posted: QueryDict) -> None:
        """Change the text as the posted rows and the pressed button say."""
        before = self.rubric or {}
        rubric = builder.built(before, lambda name: posted.getlist(PREFIX + name)) if before else {}
        kinds = [builder.kind_of(each) for each in rubric.get("criteria", [])]
        other = [k for k, each in enumerate(before.get("criteria", [])) if builder.kind_of(each) != kinds[k]]
        rubric, self.focus = builder.changed(rubric, self.action, self.samples)
        self.focus = self.focus or (f"{other[0]}-kind" if other else "")
        self.renewed = bool(self.focus)
        self.is_changed = rubric != before
        if self.is_changed:
            self.text = json.dumps(rubric, ensure_ascii=False, indent=1)
            del self.rubric

    @cached_property
    def rubric(self) -> dict[str, Any] | None:
        """The text as an object, {} without text; None if no rows can be made of it."""
        try:
            found = structured.read(self.text) if self.text.strip() else {}
        except structured.NotStructured:
            return None
        return found if builder.is_buildable(found) else None

    @property
    def basis(self) -> str:
        return _basis_of(self.text)

    @property
    def file(self) -> str:
        """The rubric as a file: JSON, or the text as it is if it is no rubric."""
        return json.dumps(self.rubric, ensure_ascii=False, indent=1) + "\n" if self.rubric else self.text

    def shown(self, errors: Sequence[str]) -> dict[str, Any]:
        """Context of batches/_rubric_builder.html: `rows` of criteria, `fields` to show and their problems.

        `errors`: of the rubric; one that stands beside a control is left out of `others`. A new criterion has none yet.
        """
        place, _colon, text = errors[0].partition(": ") if errors and self.action != ADD else ("", "", "")
        rubric = self.rubric or {}
        rows = [self._row(rubric["criteria"], k, place, text) for k in range(len(rubric.get("criteria", [])))]
        is_shown = place.startswith(("show", "title"))
        placed = is_shown or any(row["wrong"] for row in rows)
        return {
            "rows": rows,
            "group": f"criterion-{secrets.token_hex(4)}",  # else new rows would close while the old ones are there
            "title": next(iter(builder.texts_of(rubric.get("title"))), ""),
            "fields": self._fields(rubric),
            "is_show_open": self.focus.startswith("show-"),
            "shows": ", ".join(builder.shown_names(rubric)),
            "shows_problem": text if is_shown else "",
            "others": [] if placed or self.action == ADD or not self.text else errors,
        }

    def _fields(self, rubric: dict[str, Any]) -> list[dict[str, Any]]:
        """What can be shown: {"name", "text" (a sample), "on"}, first what is shown, in its order."""
        texts = {each.name: each.text for each in self.samples if "." not in each.name}
        shown = builder.shown_names(rubric)
        return [
            {"name": name, "text": texts.get(name, ""), "on": name in shown} for name in dict.fromkeys([*shown, *texts])
        ]

    def _row(self, criteria: list[dict[str, Any]], k: int, place: str, text: str) -> dict[str, Any]:
        shown = builder.shown_names(self.rubric or {})
        controls = builder.controls(criteria, k, self.samples, shown)
        kind, ask = builder.kind_of(criteria[k]), criteria[k].get("ask", "")
        here = f"{place}.".startswith((f"criteria[{k}].", f"criteria[{k}]["))
        problem_at = next((each.name for each in controls if here and f"{place}.".startswith(f"{each.place}.")), "")
        first = {"ask", builder.VALUE} | {name for name, kinds in builder.FIRST.items() if kind in kinds}
        usual = [each for each in controls if each.name in first]
        more = [each for each in controls if each not in usual]
        return {
            "id": f"{k}-",
            "at": str(k),
            "number": k + 1,
            "line": ask if isinstance(ask, str) else next(iter(builder.texts_of(ask)), ""),
            "kind": _(builder.TITLES.get(kind, kind)),
            "kinds": [(each, _(builder.TITLES.get(each, each)), each == kind) for each in KINDS],
            "controls": controls,
            "ask": next(each for each in controls if each.name == "ask"),
            "usual": [each for each in usual if each.name != "ask" and (each.form != builder.LIST or each.options)],
            "more": sorted(more, key=lambda each: LAST.index(each.form) if each.form in LAST else -1),
            "is_rest_wrong": problem_at in [each.name for each in more],
            "wrong": here,
            "problem": text if here and not problem_at else "",
            "problem_at": problem_at,
            "text": text,
            "open": here or self.focus.startswith((f"{k}-", f"criteria-{k}-")),
        }
