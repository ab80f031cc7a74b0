"""`ablation:1` to `ablation:14`: what they make of a dataset, and what they leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.listed import Listed, derived, real


def ship(number: int, **changes: object) -> Example:
    text = f"The Heron {number} was launched by Ada Lorne in 1871. All of her sons sailed 12 miles."
    made = Example(f"q{number}", "Who launched the Heron?", (Paragraph("T", text),), ("Ada Lorne", "Lorne"))
    return replace(made, **changes)


def test_the_ways_are_named_by_their_number() -> None:
    found = [how for how in DERIVATIONS if how.startswith("ablation:")]
    assert found == [f"ablation:{number}" for number in range(1, 15)]


def test_the_whole_question_may_be_taken_out() -> None:
    [made], tally = derived(DERIVATIONS["ablation:13"], Listed([ship(1)]))
    assert made.question.split() == ["[UNK]"] * 5
    assert (made.paragraphs, made.answers) == (ship(1).paragraphs, ship(1).answers)
    assert tally.figures["average tokens dropped or replaced"] == 5


def test_the_whole_context_may_be_taken_out_where_there_are_options() -> None:
    choice = ship(2, options=("Ada Lorne", "Mara Quell"), answers=("Ada Lorne",))
    way = DERIVATIONS["ablation:14"]
    [made], tally = derived(way, Listed([ship(1), choice]))
    assert (made.id, made.question, made.options) == ("q2", choice.question, choice.options)
    assert made.paragraphs[0].text.replace("[UNK]", "").strip() == ""
    assert made.extra["@original"]["paragraphs"] == [choice.paragraphs[0].text]
    assert tally.dropped == {"it has no options, and without its context there is nothing else to answer by": 1}
    assert way.source_problem({"options": False})
    assert way.source_problem({"options": True}) == ""


@pytest.mark.parametrize("number", range(1, 14))
def test_an_item_keeps_id_and_group_and_says_what_was_done(number: int) -> None:
    made, tally = derived(DERIVATIONS[f"ablation:{number}"], Listed([ship(1), ship(2, group="twins")]), seed=4)
    each = 5 if number in (6, 7, 8) else 1
    assert [e.id for e in made] == ["q1"] * each + ["q2"] * each
    assert {(e.id, e.group) for e in made} == {("q1", "q1"), ("q2", "twins")}
    result = [e.extra["ablation"] for e in made[:each]]
    assert {t["number"] for t in result} == {number}
    assert [t["seed"] for t in result] == ([4, 5, 6, 7, 8] if each == 5 else [4] if number == 9 else [None])
    assert all(e.answers[:2] == ("Ada Lorne", "Lorne") for e in made)
    for e in made:
        gold = e.extra["ablation"]["gold"]
        reads = e.paragraphs[gold["paragraph"]].text[gold["start"] : gold["end"]]
        assert reads in e.answers or set(reads.split()) == {"[UNK]"}
    assert tally.figures["questions"] == 2


def test_the_same_seed_gives_the_same_and_another_seed_another() -> None:
    source = Listed([ship(k) for k in range(4)])
    runs = [derived(DERIVATIONS["ablation:6"], source, seed=seed)[0] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_what_has_no_place_for_an_answer_is_left_out_with_the_reason() -> None:
    source = Listed(
        [
            ship(1, answerable=False),
            ship(2, answers=()),
            ship(3, answers=("yes",)),
            ship(4, paragraphs=()),
            ship(5, answers=("Mara",), options=("Mara", "Ada")),
        ]
    )
    made, tally = derived(DERIVATIONS["ablation:3"], source)
    assert [e.id for e in made] == ["q5"]
    assert dict(tally.dropped) == {
        "it is unanswerable": 1,
        "its answer is not known": 1,
        "its answer is no span of the context and there are no options": 1,
        "it has no question or no context": 1,
    }


def test_only_what_a_model_solves_fully_is_kept_and_every_ablation_draws_the_same(tmp_path: Path) -> None:
    source = Listed([ship(k) for k in range(8)])
    rows = [{"id": f"q{k}", "predicted_answer": "ada lorne" if k % 2 else "Ada"} for k in range(8)]
    path = tmp_path / "solved.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made, tally = derived(DERIVATIONS["ablation:3"], source, solved=str(path))
    assert [e.id for e in made] == ["q1", "q3", "q5", "q7"]
    assert tally.dropped["the model does not solve it fully on the original"] == 4
    path.write_text(json.dumps({f"q{k}": "Lorne" for k in range(8)}))
    drawn = [
        [e.id for e in derived(DERIVATIONS[how], source, solved=str(path), sample=3, seed=9, seeds=1)[0]]
        for how in ("ablation:3", "ablation:6")
    ]
    assert len(drawn[0]) == 3
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    "text", ["[1]", '{"id": 1, "predicted_answer": "x"}', '{"id": "q1"}\n{', '{"q1": 3}', '{"zz": "x"}']
)
def test_predictions_that_cannot_be_used_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(CannotDerive, match="predictions"):
        derived(DERIVATIONS["ablation:3"], Listed([ship(1)]), solved=str(path))


def test_seeds_are_for_what_is_left_to_chance() -> None:
    with pytest.raises(InvalidValues, match="seeds"):
        derived(DERIVATIONS["ablation:3"], Listed([ship(1)]), seeds=2)
    assert len(derived(DERIVATIONS["ablation:9"], Listed([ship(1)]), seeds=3)[0]) == 3


def test_the_place_that_squad_notes_is_the_golds() -> None:
    text = "Ada met Ada."
    note = {"keys": [], "fields": {"answers": [{"text": "Ada", "answer_start": 8}]}}
    example = ship(1, paragraphs=(Paragraph("T", text),), answers=("Ada",), extra={"@squad": note})
    made, _ = derived(DERIVATIONS["ablation:12"], Listed([example]))
    assert made[0].extra["ablation"]["gold"] == {"paragraph": 0, "start": 8, "end": 11}


@pytest.mark.soak
def test_the_figures_of_real_squad_are_near_the_papers() -> None:
    source = real("squad", "squad_dev_v2.0_5_articles.json")
    for number, near in ((1, 100), (3, 100), (10, 78.8), (11, 70.8), (12, 69.5)):
        made, tally = derived(DERIVATIONS[f"ablation:{number}"], source, seed=1)
        assert len(made) == 705
        assert tally.figures["questions touched in %"] == pytest.approx(near, abs=12)
        assert tally.figures["the paper's SQuAD 2.0"]["questions touched in %"] == near
