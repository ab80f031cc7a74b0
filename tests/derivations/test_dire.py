"""`dire-*` and `nmf-*` on records: labels, ids, the files' layout, and what is left out."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.derivations import DERIVATIONS
from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.support_removal import TRANSFORMS
from tests.derivations.listed import Listed, derived, real
from tests.long_forms import first

HOWS = sorted(TRANSFORMS)
every_way = pytest.mark.parametrize("how", HOWS)
ROWS = {
    "dire-transform": {2: 3, 4: 15},
    "dire-probe": {2: 2, 4: 14},
    "dire-probe-of-transform": {2: 3, 4: 21},
    "dire-trivial": {2: 3, 4: 3},
    "nmf-transform": {2: 3, 4: 15},
    "nmf-probe": {2: 2, 4: 14},
    "nmf-probe-of-transform": {2: 3, 4: 28},
}


def well(number: int, *, size: int = 8, supports: tuple[int, ...] = (1, 4)) -> Example:
    """A question about a well, in a context that names two paragraphs alike."""
    titles = [f"Well {k % (size - 1)}" for k in range(size)]
    paragraphs = tuple(Paragraph.of_sentences(t, (f"Water {k}.", f" Stone {k}.")) for k, t in enumerate(titles))
    hops = tuple(Hop(f"Which stone is in well {p}?", f"Stone {p}", p, p) for p in supports)
    facts = tuple((p, 1) for p in supports)
    return Example(
        id=f"q{number}", question=f"Which stone {number}?", paragraphs=paragraphs, answers=(f"Stone {supports[-1]}",),
        supports=supports, facts=facts, hops=hops, answerable=True, extra={"level": "hard"},
    )  # fmt: skip


@every_way
def test_rows_of_a_question_stand_together_under_its_id(how: str) -> None:
    made, tally = derived(DERIVATIONS[how], Listed([well(1), well(2, supports=(0, 2, 5, 7))]), seed=3)
    assert [e.id for e in made] == ["q1"] * ROWS[how][2] + ["q2"] * ROWS[how][4]
    assert {e.group for e in made} == {"q1", "q2"}
    assert tally.figures["questions"] == 2


@every_way
def test_labels_are_the_supports_that_are_still_there(how: str) -> None:
    source = well(1, supports=(0, 2, 5, 7))
    kept = {source.paragraphs[p].text for p in source.supports or ()}
    for example in derived(DERIVATIONS[how], Listed([source]), seed=1)[0]:
        assert {example.paragraphs[p].text for p in example.supports or ()} == {
            p.text for p in example.paragraphs if p.text in kept
        }
        assert {p for p, _s in example.facts or ()} == set(example.supports or ())
        assert [h.support for h in example.hops if h.support is not None] == sorted(example.supports or ())
        if (label := example.extra.get("sufficiency")) is not None:
            assert label == (1 if len(example.supports or ()) == 4 else 0 if example.supports else -1)
            assert example.answerable is (label == 1)


@every_way
def test_the_same_seed_gives_the_same_rows_and_another_one_others(how: str) -> None:
    source = Listed([well(k, size=20, supports=(0, 3, 5)) for k in range(5)])
    first, again, other = (derived(DERIVATIONS[how], source, seed=seed)[0] for seed in (1, 1, 2))
    assert first == again
    if how != "dire-probe":
        assert first != other


def test_titles_that_repeat_are_told_apart_alike_in_all_rows_of_a_question() -> None:
    source = well(1, size=8, supports=(0, 7))
    assert source.paragraphs[0].title == source.paragraphs[7].title
    made, _ = derived(DERIVATIONS["dire-transform"], Listed([source]))
    named = {(p.text, p.title) for e in made for p in e.paragraphs}
    assert len(named) == len({text for text, _title in named}) == len({title for _text, title in named})
    assert ("Water 7. Stone 7.", "Well 0 (2)") in named


@every_way
def test_what_cannot_be_split_is_left_out_with_the_reason(how: str) -> None:
    small = well(1, size=6, supports=(0, 1, 2, 3))
    unknown = Example(id="q2", question="?", paragraphs=well(2).paragraphs)
    made, tally = derived(DERIVATIONS[how], Listed([small, unknown, well(3, supports=(1,))]))
    assert made == []
    assert sum(tally.dropped.values()) == tally.read == 3
    assert "its supporting paragraphs are not known" in tally.dropped


def test_small_contexts_may_be_left_out_as_by_the_authors() -> None:
    source = Listed([well(1, size=4, supports=(0, 1)), well(2, size=5, supports=(0, 1))])
    made, tally = derived(DERIVATIONS["dire-transform"], source, min_paragraphs=5)
    assert {e.id for e in made} == {"q2"}
    assert tally.dropped == {"it has fewer paragraphs than wanted": 1}


@every_way
def test_the_file_has_the_authors_layout_and_comes_in_again(how: str, tmp_path: Path) -> None:
    made, _ = derived(DERIVATIONS[how], Listed([well(1), well(2)]), seed=5)
    out = io.BytesIO()
    FORMATS["dire"].write(made, out)
    rows = json.loads(out.getvalue())
    assert isinstance(rows, list)
    assert Counter(row["_id"] for row in rows) == {"q1": ROWS[how][2], "q2": ROWS[how][2]}
    added = {"sufficiency", "sub_idx"} if "transform" in how else {"sub_idx"} if how == "dire-trivial" else set()
    for row in rows:
        assert set(row) - {"_id", "question", "answer", "supporting_facts", "context", "level"} == added
        assert list(row)[-len(added) :] == [k for k in ("sufficiency", "sub_idx") if k in added] or not added
        assert {title for title, _n in row["supporting_facts"]} <= {title for title, _s in row["context"]}
    file = tmp_path / "rows.json"
    file.write_bytes(out.getvalue())
    again = [p.example for p in FORMATS["dire"].read(file) if isinstance(p, Parsed) and p.example]
    assert [(e.id, e.supports, e.facts, e.answerable) for e in again] == [
        (e.id, e.supports, e.facts, e.answerable) for e in made
    ]


@every_way
@pytest.mark.parametrize(
    ("format", "name"),
    first(
        1,
        [
            ("musique", "musique_ans_dev_130.jsonl"),
            ("hotpotqa", "hotpotqa_dev_distractor_240.json"),
            ("2wikimultihopqa", "2wikimultihopqa_dev_150.json"),
        ],
    ),
)
def test_real_records_are_split_and_written(how: str, format: str, name: str) -> None:
    source = real(format, name)
    made, tally = derived(DERIVATIONS[how], source, seed=1)
    assert tally.figures["questions"] + sum(tally.dropped.values()) == source.size
    assert tally.figures["questions"] >= 0.95 * source.size
    assert all(len({p.title for p in e.paragraphs}) == len(e.paragraphs) for e in made)
    assert FORMATS["dire"].write(made, io.BytesIO()) == len(made)


def written(examples: list[Example]) -> list[dict[str, Any]]:
    out = io.BytesIO()
    FORMATS["dire"].write(examples, out)
    rows: list[dict[str, Any]] = json.loads(out.getvalue())
    return rows


@pytest.mark.parametrize("how", ["dire-probe", "dire-probe-of-transform"])
def test_rows_may_be_labelled_with_what_was_taken_out_as_in_the_released_probes(how: str, tmp_path: Path) -> None:
    """The fact filter of the authors' converter keeps the facts of the paragraph that it is to delete."""
    source = Listed([replace(well(1), hops=()), well(2, supports=(0, 2, 5))])
    theirs = derived(DERIVATIONS[how], source, seed=4, labels="released")[0]
    ours = derived(DERIVATIONS[how], source, seed=4)[0]
    assert [e.paragraphs for e in theirs] == [e.paragraphs for e in ours]
    for one, other in zip(written(ours), written(theirs), strict=True):
        facts, lost = ({tuple(fact) for fact in row["supporting_facts"]} for row in (one, other))
        titles = {title for title, _sentences in other["context"]}
        assert len(facts) + len(lost) == (2 if other["_id"] == "q1" else 3)
        assert not titles & {title for title, _n in lost}
        assert {**one, "supporting_facts": 0} == {**other, "supporting_facts": 0}
    file = tmp_path / "released.json"
    file.write_text(json.dumps(written(theirs)))
    again = [p.example for p in FORMATS["dire"].read(file) if isinstance(p, Parsed) and p.example]
    assert [(e.supports, e.facts) for e in again] == [(e.supports, e.facts) for e in theirs]
    assert written(again) == written(theirs)


@pytest.mark.parametrize(("how", "first"), [("dire-transform", 1), ("dire-probe-of-transform", -1)])
def test_training_files_have_two_rows_a_question_by_a_coin_flip(how: str, first: int) -> None:
    source = Listed([well(k) for k in range(400)])
    whole = derived(DERIVATIONS[how], source, seed=1)[0]
    made = derived(DERIVATIONS[how], source, seed=1, balanced="train")[0]
    assert all(example in whole for example in made[:20])
    assert [e.extra["sufficiency"] for e in made] == [first, 0] * 400
    drawn = Counter(whole.index(made[k]) % 3 for k in range(1, 800, 2))
    assert set(drawn) == {1, 2}
    assert abs(drawn[1] - 200) < 50
    assert made == derived(DERIVATIONS[how], source, seed=1, balanced="train")[0]
    assert len(derived(DERIVATIONS[how], Listed([well(1, supports=(0, 2, 5))]), balanced="train")[0]) == 2
