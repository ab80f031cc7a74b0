"""`sufficiency-pairs` and `bridge-subquestions`: what they make of records, and what they leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.listed import Listed, derived, real
from tests.derivations.test_dire import well

PAIRS, SUBS = DERIVATIONS["sufficiency-pairs"], DERIVATIONS["bridge-subquestions"]


def test_the_pairs_of_a_question_are_one_group_and_say_which_they_are() -> None:
    made, tally = derived(PAIRS, Listed([well(1)]), seed=2)
    assert [e.shape for e in made] == ["f1_f2", "f1_fr", "fr_f2"]
    assert {(e.id, e.group) for e in made} == {("q1", "q1")}
    assert [e.supports for e in made] == [(0, 1), (0,), (1,)]
    assert [e.extra["pair"]["supports"] for e in made] == [[1, 2], [1], [2]]
    assert {e.extra["pair"]["others"] for e in made} == {6}
    assert tally.figures["questions"] == 1


def test_three_and_four_supports_give_all_their_pairs() -> None:
    source = Listed([well(1, supports=(0, 1, 2)), well(2, supports=(0, 1, 2, 3))])
    made, _ = derived(PAIRS, source)
    assert [sum(e.id == f"q{n}" for e in made) for n in (1, 2)] == [6, 10]


def test_a_question_without_another_paragraph_has_no_pairs() -> None:
    made, tally = derived(PAIRS, Listed([well(1, size=2, supports=(0, 1)), replace(well(2), supports=None)]))
    assert made == []
    assert tally.dropped["it has no paragraph that is no support"] == 1


def test_as_many_questions_as_wanted_are_drawn_with_all_their_pairs() -> None:
    source = Listed([well(n) for n in range(12)] + [replace(well(20), supports=None)])
    made, tally = derived(PAIRS, source, seed=4, questions=5)
    ids = list(dict.fromkeys(e.id for e in made))
    assert (len(ids), len(made), tally.figures["questions"]) == (5, 15, 5)
    assert tally.dropped["it was not drawn"] == 7
    everything = derived(PAIRS, source, seed=4)[0]
    assert made == [e for e in everything if e.id in ids]
    assert derived(PAIRS, source, seed=4, questions=5)[0] == made
    assert len({e.id for e in derived(PAIRS, source, seed=4, questions=50)[0]}) == 12
    others = {tuple(e.id for e in derived(PAIRS, source, seed=s, questions=5)[0]) for s in range(5)}
    assert len(others) > 1
    with pytest.raises(InvalidValues, match="questions"):
        derived(PAIRS, source, questions=-1)


def captain(**changes: object) -> Example:
    paragraphs = (
        Paragraph("Inn", "An inn."),
        Paragraph("The Grey Petrel (ship)", "A ship under Mara Quell."),
        Paragraph("Mara Quell", "She was born in Anselm."),
    )
    example = Example(
        id="c1", question="Where was the captain of the Grey Petrel born?", paragraphs=paragraphs,
        answers=("Anselm",), supports=(1, 2), shape="bridge",
    )  # fmt: skip
    return replace(example, **changes)


def lines(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return str(path)


def test_the_blank_is_filled_with_the_bridge_entity_and_hops_know_their_paragraphs(tmp_path: Path) -> None:
    record = {"id": "c1", "sub1": "Who led the Grey Petrel?", "sub2": "Where was ____ born?"}
    made, tally = derived(SUBS, Listed([captain()]), generated=lines(tmp_path / "g.jsonl", record))
    assert made[0].hops == (
        Hop("Who led the Grey Petrel?", "Mara Quell", 1),
        Hop("Where was Mara Quell born?", "Anselm", 2),
    )
    assert tally.figures["how the bridge entity was found"] == {"one title occurs in the other paragraph": 1}


def test_a_dataset_with_two_hops_needs_no_file() -> None:
    hops = (Hop("Who led the ship?", "?", None, "s1"), Hop("Where was #1 born?", "?", None, "s2"))
    made, _ = derived(SUBS, Listed([captain(hops=hops)]))
    assert [(h.question, h.answer, h.id) for h in made[0].hops] == [
        ("Who led the ship?", "Mara Quell", "s1"),
        ("Where was Mara Quell born?", "Anselm", "s2"),
    ]


def test_what_has_no_bridge_is_left_out_with_the_reason() -> None:
    hops = (Hop("a?", "x"), Hop("b?", "y"))
    alike = captain(id="c2", hops=hops, paragraphs=(*captain().paragraphs[:2], Paragraph("Gull", "A bird.")))
    source = Listed([captain(shape="comparison", hops=hops), alike, captain(id="c3"), captain(id="c4", supports=(1,))])
    made, tally = derived(SUBS, source)
    assert made == []
    assert sorted(reason.split(",")[0].split(":")[0] for reason in tally.dropped) == [
        "it has not exactly two supporting paragraphs",
        "it is a comparison",
        "the bridge entity is not identified",
        "there are no sub-questions for it",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{oops", "line 1 of the sub-questions is not JSON"),
        ('{"id": "a", "sub1": ""}', "line 1 of the sub-questions is not of the form"),
        ('{"id": "a", "sub1": "x", "sub2": "y"}\n' * 2, "line 2 of the sub-questions names a once more"),
    ],
)
def test_a_bad_file_is_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text(text)
    with pytest.raises(CannotDerive, match=message):
        derived(SUBS, Listed([captain()]), generated=str(file))


def test_real_bridge_questions_mostly_have_an_identified_entity(tmp_path: Path) -> None:
    source = real("hotpotqa", "hotpotqa_dev_distractor_240.json")
    asked = [{"id": e.id, "sub1": "first?", "sub2": "second ____?"} for e in source.examples()]
    made, tally = derived(SUBS, source, generated=lines(tmp_path / "g.jsonl", *asked))
    bridge = source.size - tally.dropped["it is a comparison, not a bridge question"]
    assert len(made) >= 0.7 * bridge
    assert all(e.hops[0].answer and e.hops[0].answer in e.hops[1].question for e in made)
