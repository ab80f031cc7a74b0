"""Every format's records exported in every format: what we write, we read again and score, or we say why not."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite
from annotation.formats.hotpotqa import named_facts
from annotation.formats.subqa import SubQA
from annotation.pure.data.example import Example
from annotation.scorers import EVALUATORS, evaluate
from annotation.scorers.base import BadRecords
from tests.pure.formats import samples
from tests.pure.formats.samples import CSV, HOTPOT, MUSIQUE, RACE, SQUAD, WORKED, examples, hub
from tests.pure.formats.test_race_columns import rows


def answerable(tree: Any) -> Any:
    """The tree of SQuAD 1.1: only questions that have answers, and no word of that."""
    tree = deepcopy(tree) | {"version": "1.1"}
    for article in tree["data"]:
        for paragraph in article["paragraphs"]:
            kept = [qa for qa in paragraph["qas"] if qa["answers"]]
            paragraph["qas"] = [{key: qa[key] for key in qa if key != "is_impossible"} for qa in kept]
    return tree


SOURCES: dict[str, tuple[str, Any]] = {name: (name, value) for name, value in WORKED.items()} | {
    "dire": ("dire", [HOTPOT | {"sufficiency": label, "sub_idx": k} for k, label in enumerate((1, 0, 0))]),
    "hotpotqa without gold": ("hotpotqa", [{key: HOTPOT[key] for key in ("_id", "question", "context")}]),
    "hotpotqa of a hub": ("hotpotqa", [hub(HOTPOT)]),
    "musique without twins": ("musique", [MUSIQUE]),
    "squad 1.1": ("squad", answerable(SQUAD)),
    "race of a hub": ("race", rows(RACE)),
    "csv": ("csv", CSV),
}
OPTIONS = "has no place for answer options"
ONE_PARAGRAPH = "one paragraph a question"
TWICE = "an import would refuse its id: the id was used before"
NO_GOLD = "answer: the field is missing"

FACTS = "supporting_facts: the field is missing"

HAS_OPTIONS, HAS_FOLDS = {"race", "race of a hub"}, {"disconnection"}
HAS_NO_GOLD = {"hotpotqa without gold", "disconnection"}
HAS_NO_SUPPORTS = {"squad", "squad 1.1", "csv"}
IS_SHORT = {"squad", "squad 1.1", "csv", *HAS_OPTIONS}  # one paragraph a question
HAS_TWO_HOPS = {"subqa", "musique", "musique without twins"}
ALL = set(SOURCES)
ONE_ROW_EACH = {OPTIONS: HAS_OPTIONS, TWICE: {"musique", "dire"}}

# Of each target what it cannot hold and why, then what `evaluate` cannot score and why.
NOT_WRITTEN: dict[str, dict[str, set[str]]] = {
    "hotpotqa": ONE_ROW_EACH,
    "2wikimultihopqa": ONE_ROW_EACH,
    "subqa": ONE_ROW_EACH,
    "musique": {OPTIONS: HAS_OPTIONS, TWICE: {"dire"}},
    "squad": {OPTIONS: HAS_OPTIONS, ONE_PARAGRAPH: ALL - IS_SHORT},
    "csv": {OPTIONS: HAS_OPTIONS, ONE_PARAGRAPH: ALL - IS_SHORT},
    "race": {"RACE needs answer options": ALL - HAS_OPTIONS},
    "dire": {OPTIONS: HAS_OPTIONS},
    "jsonl": {},
    "disconnection": {"it has no fold": ALL - HAS_FOLDS},
}
NOT_SCORED: dict[str, dict[str, set[str]]] = {
    "hotpotqa": {NO_GOLD: HAS_NO_GOLD},
    "2wikimultihopqa": {NO_GOLD: HAS_NO_GOLD},
    "musique": {NO_GOLD: HAS_NO_GOLD, "in a file with unanswerable questions": {"squad"}},
    "squad": {},
    "dire": {FACTS: HAS_NO_GOLD | HAS_NO_SUPPORTS, "the question has rows of the sufficiencies -, -": {"musique"}},
    "subqa": {r"it has \d sub-questions and not two": ALL - HAS_OPTIONS - HAS_TWO_HOPS},
}


def reason(expected: dict[str, set[str]], name: str) -> str:
    return next((why for why, names in expected.items() if name in names), "")


def source(name: str) -> list[Example]:
    format, value = SOURCES[name]
    if format == "csv":
        return [one.example for one in samples.read("csv", value.encode())[0] if one.example]
    return examples(format, value)


def hotpotqa(them: list[Example]) -> Any:
    said = {one.id: one.answer or "noanswer" for one in them}
    return {"answer": said, "sp": {one.id: named_facts(one) or [] for one in them}}


def twowiki(them: list[Example]) -> Any:
    return hotpotqa(them) | {"evidence": {one.id: one.extra.get("evidences") or [] for one in them}}


def musique(them: list[Example]) -> Any:
    return [
        {
            "id": one.id,
            "predicted_answer": one.answer or "",
            "predicted_support_idxs": list(one.supports or ()),
            "predicted_answerable": one.answerable is not False,
        }
        for one in them
    ]


def squad(them: list[Example]) -> Any:
    return {one.id: "" if one.answerable is False else one.answer or "" for one in them}


def dire(them: list[Example]) -> Any:
    return [
        {
            "question_id": one.id,
            "answer": one.answer or "",
            "supporting_paragraphs": [title for title, _sentence in named_facts(one) or []],
            "supporting_sentences": named_facts(one) or [],
            **{key: one.extra[key] for key in ("sufficiency", "sub_idx") if key in one.extra},
        }
        for one in them
    ]


SAYING: dict[str, Callable[[list[Example]], Any]] = {
    "hotpotqa": hotpotqa,
    "2wikimultihopqa": twowiki,
    "musique": musique,
    "squad": squad,
    "dire": dire,
}


def exported(target: str, name: str) -> bytes:
    out = io.BytesIO()
    them = source(name)
    assert FORMATS[target].write(them, out) == len(them)
    return out.getvalue()


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("target", samples.SAMPLED)
def test_what_we_export_is_imported_again_or_refused_with_the_reason(target: str, name: str) -> None:
    if why := reason(NOT_WRITTEN[target], name):
        with pytest.raises(CannotWrite, match=why) as refusal:
            exported(target, name)
        assert str(refusal.value).startswith("Example ")
        return
    parsed, flaws = samples.read(target, exported(target, name))
    assert [str(flaw) for flaw in flaws if flaw.severity == "error"] == []
    them = source(name)
    said = [(one.id, one.question, len(one.paragraphs)) for one in them]
    assert [(p.example.id, p.example.question, len(p.example.paragraphs)) for p in parsed if p.example] == said


PAIRS = [(target, name) for target in (*SAYING, "subqa") for name in SOURCES if not reason(NOT_WRITTEN[target], name)]


@pytest.mark.parametrize(("target", "name"), PAIRS)
def test_what_we_export_is_scored_or_refused_with_the_reason(tmp_path: Path, target: str, name: str) -> None:
    if why := reason(NOT_SCORED[target], name):
        with pytest.raises((BadRecords, CannotWrite), match=why):
            best(tmp_path, target, name)
        return
    figures = best(tmp_path, target, name)
    assert figures
    assert figures <= {1.0, 100.0}


def best(folder: Path, target: str, name: str) -> set[float]:
    """The figures of predictions that say what the exported file says."""
    if target == "subqa":
        return best_of_parts(folder, source(name))
    gold, said = folder / "gold", folder / "said"
    gold.write_bytes(exported(target, name))
    them = [one.example for one in samples.read_path(target, gold)[0] if one.example]
    said.write_text(json.dumps(SAYING[target](them)))
    if target != "dire":
        found = evaluate(target, gold, said)
        return {value for key, value in found.items() if not key.endswith("total")}
    kind = "dire-transform" if name == "dire" else "dire-original"
    return {
        value for block in evaluate(kind, gold, said).values() if isinstance(block, dict) for value in block.values()
    }


def best_of_parts(folder: Path, them: list[Example]) -> set[float]:
    gold, said = folder / "gold", folder / "said"
    gold.mkdir()
    said.mkdir()
    outs = [io.BytesIO() for _part in SubQA.parts]
    SubQA().write_parts(them, outs)
    for part, out in zip(SubQA.parts, outs, strict=True):
        (gold / part).write_bytes(out.getvalue())
        answers = {record["_id"]: record["answer"] for record in json.loads((gold / part).read_text())}
        (said / part).write_text(json.dumps(answers))
    found = evaluate("subqa", gold, said)
    return {found[part][figure] for part in ("q", "sub1", "sub2") for figure in ("em", "f1", "pm")}


def test_every_format_that_can_be_scored_is_among_them() -> None:
    known = {name for name in EVALUATORS if not name.startswith(("dire-", "nmf-"))}
    assert known == {*SAYING, "subqa"} - {"dire"}
    assert set(NOT_WRITTEN) == set(samples.SAMPLED)


def test_a_dataset_without_hops_says_in_musique_that_its_questions_have_answers() -> None:
    records = [json.loads(line) for line in exported("musique", "hotpotqa").splitlines()]
    assert [record["answerable"] for record in records] == [True, True]
    hidden = [json.loads(line) for line in exported("musique", "hotpotqa without gold").splitlines()]
    assert "answerable" not in hidden[0]
