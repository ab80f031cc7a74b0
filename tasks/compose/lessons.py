"""Worked compositions for each shape, and feedback on practice items."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.text.languages import in_texts
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark

from . import bridge_judgments
from .findings import coverage, findings_of

SHOWN = 2  # of our compositions beside the worker's


@cache
def _tutorial(language: str) -> Any:
    file = Path(__file__).parent / "tutorial.json"
    own = file.with_suffix(f".{language}.json")
    texts = json.loads(own.read_text(encoding="utf-8")) if own.exists() else {}
    return in_texts(json.loads(file.read_text(encoding="utf-8")), texts)


def shapes(only: str | None = None, language: str = "en") -> list[JSON]:
    """[{"shape", "title", "hops" [{"question", "answer"}], "edges", "good" [{"question", "why"}], "bad"}]."""
    return [dict(entry) for entry in _tutorial(language)["shapes"] if only is None or entry["shape"] == only]


def remarks(payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
    """Feedback on each bridge with the reason, and on the question: its findings, its hops, and our own compositions.

    The item's `extra` has `known_bridges`, `notes` (a reason per edge) and `good` (our compositions).
    """
    result = [*_on_bridges(payload, answer, gold)]
    if bridge_judgments.composed(payload, answer) and "different" not in bridge_judgments.known(gold):
        result += _on_question(payload, answer)
    ours = list(gold.extra.get("good", ()))[:SHOWN]
    message = _("Our own question for comparison: “%(question)s”")
    return [*result, *(Remark(None, message, {"question": question}) for question in ours)]


def _on_bridges(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    judgments, right = bridge_judgments.judged(payload, answer), bridge_judgments.known(gold)
    notes = list(gold.extra.get("notes", ()))
    for k, mark in enumerate(bridge_judgments.on_known(payload, answer, gold)):
        edge = payload["edges"][k]
        values = {**edge, "why": notes[k] if k < len(notes) else ""}
        yield Remark(mark, _BRIDGE[mark, right[k], judgments[k] == "unsure"], values)


_BRIDGE = {
    (True, "same", False): _("“%(entity)s”, hops %(head)s → %(tail)s: correct, they are the same. %(why)s"),
    (True, "different", False): _("“%(entity)s”, hops %(head)s → %(tail)s: correct, they are not the same. %(why)s"),
    (False, "same", False): _("“%(entity)s”, hops %(head)s → %(tail)s: they are the same. %(why)s"),
    (False, "different", False): _("“%(entity)s”, hops %(head)s → %(tail)s: they are not the same. %(why)s"),
    (False, "same", True): _("“%(entity)s”, hops %(head)s → %(tail)s: you can tell here, they are the same. %(why)s"),
    (False, "different", True): _(
        "“%(entity)s”, hops %(head)s → %(tail)s: you can tell here, they are not the same. %(why)s"
    ),
}


def _on_question(payload: JSON, answer: JSON) -> Iterator[Remark]:
    question = answer["question"]
    findings = findings_of(payload, question, answer.get("overrides"))
    for finding in findings:
        yield Remark(False, finding["message"], finding["values"])
    used = [row["hop"] for row in coverage(payload, question) if not row["skipped"]]
    if len(used) == len(payload["hops"]):
        yield Remark(True, _("Your question uses all hops."))
    if not findings:
        yield Remark(True, _("It is short enough: %(n)s words."), {"n": len(question.split())})
