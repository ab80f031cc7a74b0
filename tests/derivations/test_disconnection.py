"""The disconnection filter: what models are asked, in which folds, and what their answers keep."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.derivations.base import CannotDerive
from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite, Parsed
from annotation.pure.data.dag import edges
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.disconnection import FOLDS, HEAD, TAIL, Limits, Prediction, keeps
from annotation.pure.setting_fields import InvalidValues
from annotation.pure.text.spans import mentions
from tests.derivations.sources import MUSIQUE_ANS, Listed, derived, graphs, made, real

FARROW = Paragraph("Farrow", "Farrow is an isle of Vennory with a tin mine.")
QUILL = Paragraph("Quill", "Quill was born on Farrow.")
PAIR = Example(
    id="pair",
    question="",
    paragraphs=(QUILL, FARROW),
    answers=("tin",),
    supports=(0, 1),
    hops=(Hop("Where was Quill born?", "Farrow", 0, 1), Hop("What is mined on Farrow, #1 ?", "tin", 1, 2)),
)
OTHERS = [Example(id=str(n), question="?", paragraphs=(Paragraph("", f"mined ore {n}"),)) for n in range(30)]


def inputs(*examples: Example, seed: int = 0, **options: object) -> list[Example]:
    source = Listed(examples, others={"pool": OTHERS})
    return made("disconnection-inputs", source, seed=seed, pool="pool", **options)


@cache
def many() -> tuple[Example, ...]:
    return tuple(graphs(120, seed=8))


def test_a_head_has_no_context_and_a_tail_has_its_paragraph_among_others() -> None:
    head, tail = inputs(PAIR)
    assert (head.question, head.paragraphs, head.answers, head.shape) == (
        "Where was Quill born?",
        (),
        ("Farrow",),
        HEAD,
    )
    assert (tail.question, tail.answers, tail.shape) == ("What is mined on [MASK], [MASK] ?", ("tin",), TAIL)
    assert len(tail.paragraphs) == 10 == len(set(tail.paragraphs))
    assert tail.supports
    assert [tail.paragraphs[at] for at in tail.supports] == [FARROW]
    assert all("mined" in each.text for each in tail.paragraphs if each != FARROW)


def test_a_question_masked_elsewhere_is_another_item() -> None:
    hops = (Hop("Isle?", "Farrow", 0), Hop("Poet?", "Quill", 1), Hop("Was #2 born on #1 ?", "yes", 1))
    example = replace(PAIR, hops=hops)
    found = inputs(example, replace(example, id="again"))
    tails = [item.question for item in found if item.shape == TAIL]
    assert sorted(tails) == ["Was Quill born on [MASK] ?", "Was [MASK] born on Farrow ?"]
    assert len({item.extra["fold"] for item in found if item.shape == TAIL}) == 1


def test_a_head_that_is_a_tail_itself_is_asked_in_full() -> None:
    hops = (*PAIR.hops, Hop("Who sells #2 ?", "Quill", 0))
    heads = [item.question for item in inputs(replace(PAIR, hops=hops)) if item.shape == HEAD]
    assert heads == ["Where was Quill born?", "What is mined on Farrow, Farrow ?"]


def test_every_edge_has_its_head_and_its_tail_and_no_mention_shows() -> None:
    found = made("disconnection-inputs", Listed(many()))
    assert len({item.id for item in found}) == len(found)
    tails = [item for item in found if item.shape == TAIL]
    assert len(tails) == sum(len(edges(example.hops)) for example in many())
    for tail in tails:
        assert "[MASK]" in tail.question
        assert not list(mentions(str(tail.extra["masked"]), tail.question))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 60))
def test_a_question_and_a_paragraph_are_in_one_fold(seed: int, count: int) -> None:
    source = Listed(many()[:count])
    found, tally = derived("disconnection-inputs", source, seed=seed)
    items = [item for _, item in found]
    assert items == made("disconnection-inputs", source, seed=seed)
    for kind, name in ((HEAD, "heads"), (TAIL, "tails")):
        of_kind = [item for item in items if item.shape == kind]
        folds = [item.extra["fold"] for item in of_kind]
        assert set(folds) <= set(range(FOLDS))
        assert tally.figures[name]["items"] == len(of_kind)
        if len(of_kind) >= 50:
            assert max(map(folds.count, range(FOLDS))) <= 0.3 * len(of_kind)
        where: dict[Paragraph, set[object]] = {}
        for item in of_kind:
            for at in item.supports or ():
                where.setdefault(item.paragraphs[at], set()).add(item.extra["fold"])
        assert all(len(found) == 1 for found in where.values())


def test_equal_answers_share_a_fold_where_they_are_few() -> None:
    def pair(number: int) -> Example:
        own = Paragraph(f"P{number}", f"Quill {number} was born on Farrow.")
        return replace(PAIR, id=str(number), paragraphs=(own, FARROW), hops=(head(number), PAIR.hops[1]))

    def head(number: int) -> Hop:
        return Hop(f"Where was Quill {number} born?", "Farrow" if number < 3 else f"Isle {number}", 0)

    heads = [item for item in inputs(*map(pair, range(40))) if item.shape == HEAD]
    assert len({item.extra["fold"] for item in heads if item.answer == "Farrow"}) == 1


def test_ids_do_not_depend_on_the_seed_the_mask_or_the_dataset() -> None:
    one = inputs(PAIR, seed=1)
    other = inputs(replace(PAIR, id="elsewhere", paragraphs=(FARROW, QUILL), hops=swapped()), seed=2, mask="[X]")
    assert [item.id for item in one] == [item.id for item in other]
    assert [item.supports for item in one] == [item.supports for item in other]


def swapped() -> tuple[Hop, ...]:
    return tuple(replace(hop, support=1 - hop.support) for hop in PAIR.hops if hop.support is not None)


def test_examples_without_edges_are_dropped_with_the_reason() -> None:
    alone = replace(PAIR, id="alone", hops=PAIR.hops[:1])
    _, tally = derived("disconnection-inputs", Listed([PAIR, alone]))
    assert (tally.read, tally.kept, dict(tally.dropped)) == (2, 1, {"no hop uses the answer of another": 1})


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mask": "…"}, "no letter"), ({"folds": 1}, "folds"), ({"paragraphs": 0}, "paragraphs")],
)
def test_it_refuses_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValues, match=message):
        inputs(PAIR, **options)


def test_the_file_has_four_fields_and_no_gold(tmp_path: Path) -> None:
    items = inputs(PAIR)
    path = tmp_path / "inputs.jsonl"
    with path.open("wb") as out:
        assert FORMATS["disconnection"].write(items, out) == 2
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [list(record) for record in records] == [["id", "fold", "question", "paragraphs"]] * 2
    assert records[0]["paragraphs"] == []
    assert [list(each) for each in records[1]["paragraphs"]] == [["idx", "title", "paragraph_text"]] * 10
    back = [one.example for one in FORMATS["disconnection"].read(path) if isinstance(one, Parsed)]
    shown = [(item.id, item.question, item.paragraphs, item.extra["fold"], item.shape) for item in items]
    assert [(b.id, b.question, b.paragraphs, b.extra["fold"], b.shape) for b in back if b] == shown
    with pytest.raises(CannotWrite, match="no fold"):
        FORMATS["disconnection"].write([PAIR], io.BytesIO())


# The rules


HEAD_ITEM = Example(id="h", question="?", paragraphs=(), answers=("tin ore",), supports=(), shape=HEAD)
TAIL_ITEM = Example(id="t", question="?", paragraphs=(QUILL, FARROW), answers=("tin ore",), supports=(1,), shape=TAIL)


@pytest.mark.parametrize(
    ("answers", "kept"),
    [(("salt", "salt"), True), (("tin ore", "salt"), False), (("tin", "salt"), True), (("tin ore", "tin"), False)],
)
def test_a_head_stays_below_half_of_the_answer(answers: tuple[str, str], kept: bool) -> None:
    assert keeps(HEAD_ITEM, [Prediction(answer, frozenset()) for answer in answers], Limits()) is kept


@pytest.mark.parametrize(
    ("answers", "supports", "kept"),
    [
        (("salt", "salt"), ({1}, {1}), True),
        (("tin ore", "salt"), ({1}, {1}), False),  # 0.5 and full support
        (("tin ore", "salt"), ({1}, {0, 1}), True),  # 0.5 and less
        (("tin ore", "tin"), ({0}, {0}), False),  # 0.83
        (("a b tin", "d"), ({1}, {1}), True),  # 0.2
    ],
)
def test_a_tail_stays_when_answered_badly_or_without_its_paragraph(
    answers: tuple[str, str], supports: tuple[set[int], set[int]], kept: bool
) -> None:
    them = [Prediction(a, frozenset(s)) for a, s in zip(answers, supports, strict=True)]
    assert keeps(TAIL_ITEM, them, Limits()) is kept


def test_an_item_without_predictions_is_no_item_to_judge() -> None:
    with pytest.raises(ValueError, match="no prediction for h"):
        keeps(HEAD_ITEM, [], Limits())


# The filter


Answering = Callable[[Example], str]


def file_of(path: Path, items: list[Example], answering: Answering, *, seeds: tuple[int, ...] = (1, 2)) -> str:
    lines = [
        {"id": i.id, "seed": s, "predicted_answer": answering(i), "predicted_support_idxs": list(i.supports or ())}
        for i in items
        for s in seeds
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def nothing(_item: Example) -> str:
    return "no idea"


def test_what_models_cannot_answer_stays(tmp_path: Path) -> None:
    items = made("disconnection-inputs", Listed(many()))
    source = Listed(many(), others={"inputs": items})
    path = file_of(tmp_path / "p", items, nothing)
    found, tally = derived("disconnection-filter", source, predictions=path, inputs="inputs")
    assert [example for _, example in found] == list(many())
    assert tally.figures["heads"]["kept in %"] == tally.figures["tails"]["kept in %"] == 100
    assert (tally.read, tally.kept, tally.figures["seeds"]) == (120, 120, ["1", "2"])
    assert tally.figures["heads"]["the paper's pairs in %"] == 74.5
    assert tally.figures["tails"]["the paper's pairs in %"] == 26.5
    assert tally.figures["heads"]["the paper's validation set in %"] == 87.7
    assert tally.figures["tails"]["the paper's validation set in %"] == 79.0


def test_a_pair_goes_with_its_head_or_its_tail(tmp_path: Path) -> None:
    other = replace(PAIR, id="other", hops=(Hop("Whose isle?", "Vennory", 1), Hop("Is Farrow in #1 ?", "yes", 1)))
    items = made("disconnection-inputs", Listed([PAIR, other]))
    heads = {item.id for item in items if item.shape == HEAD and item.answer == "Farrow"}
    path = file_of(tmp_path / "p", items, lambda item: item.answers[0] if item.id in heads else "no idea")
    found, tally = derived("disconnection-filter", Listed([PAIR, other]), seed=77, predictions=path)
    assert [example.id for _, example in found] == ["other"]
    assert dict(tally.dropped) == {"a head can be answered without context": 1}
    path = file_of(tmp_path / "p", items, lambda item: item.answers[0] if item.shape == TAIL else "no idea")
    found, tally = derived("disconnection-filter", Listed([PAIR, other]), predictions=path)
    assert not found
    assert dict(tally.dropped) == {"a tail can be answered without the answer of its head": 2}
    assert (tally.figures["heads"]["kept"], tally.figures["tails"]["kept"]) == (2, 0)


def test_thresholds_are_options(tmp_path: Path) -> None:
    items = made("disconnection-inputs", Listed([PAIR]))
    path = file_of(tmp_path / "p", items, lambda item: f"{item.answers[0]} perhaps")
    assert not made("disconnection-filter", Listed([PAIR]), predictions=path)
    assert made("disconnection-filter", Listed([PAIR]), predictions=path, head_answer=1, tail_answer=1)


def test_missing_predictions_are_named_and_counted(tmp_path: Path) -> None:
    items = made("disconnection-inputs", Listed(many()))
    path = file_of(tmp_path / "p", items[7:], nothing)
    with pytest.raises(CannotDerive) as refusal:
        derived("disconnection-filter", Listed(many()), predictions=path)
    assert f"missing for 7 of {len(items)}" in str(refusal.value)
    assert all(item.id in str(refusal.value) for item in items[:5])
    assert "and 2 more" in str(refusal.value)


def test_every_item_needs_every_seed(tmp_path: Path) -> None:
    items = made("disconnection-inputs", Listed([PAIR]))
    path = tmp_path / "p"
    file_of(path, items, nothing)
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines()[:3]))
    with pytest.raises(CannotDerive, match=r"missing for 1 of 2.*seeds 1, 2"):
        derived("disconnection-filter", Listed([PAIR]), predictions=str(path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 .* not JSON"),
        ("[]", "line 1 .* no object"),
        ('{"id": "x", "seed": 1}', "line 1 .* form"),
        ('{"id": "x", "seed": 1, "predicted_answer": "", "predicted_support_idxs": [true]}', "line 1 .* form"),
        ('{"id": "x", "seed": 1, "predicted_answer": ""}\n' * 2, "line 2 .* once more"),
        ("\x00", "line 1 .* not JSON"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "p"
    path.write_text(line)
    with pytest.raises(CannotDerive, match=message):
        derived("disconnection-filter", Listed([PAIR]), predictions=str(path))


def test_it_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(InvalidValues, match="predictions"):
        derived("disconnection-filter", Listed([PAIR]))
    with pytest.raises(CannotDerive, match="cannot be read"):
        derived("disconnection-filter", Listed([PAIR]), predictions=str(tmp_path / "none"))
    source = Listed([PAIR], others={"inputs": []})
    path = file_of(tmp_path / "p", made("disconnection-inputs", source), nothing)
    with pytest.raises(CannotDerive, match="2 of 2 heads and tails are not in inputs"):
        derived("disconnection-filter", source, predictions=path, inputs="inputs")


def test_a_support_outside_the_context_is_refused(tmp_path: Path) -> None:
    items = made("disconnection-inputs", Listed([PAIR]))
    path = file_of(tmp_path / "p", [replace(item, supports=(44,)) for item in items], nothing)
    with pytest.raises(CannotDerive, match="names the paragraph 44"):
        derived("disconnection-filter", Listed([PAIR]), predictions=path)


def test_it_audits_real_questions(tmp_path: Path) -> None:
    source = Listed(real(*MUSIQUE_ANS))
    items, tally = derived("disconnection-inputs", source)
    asked = [item for _, item in items]
    assert not tally.dropped
    assert all(len(item.paragraphs) == (10 if item.shape == TAIL else 0) for item in asked)
    path = file_of(tmp_path / "p", asked, nothing)
    found, tally = derived("disconnection-filter", source, predictions=path)
    assert len(found) == 190 == tally.kept
