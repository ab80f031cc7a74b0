"""Single-hop questions out of records of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.demo.encyclopedia import examples as multihop_examples
from annotation.derivations.base import CannotDerive
from annotation.derivations.singlehop import SingleHop
from annotation.pure.data.example import Example, Hop, Paragraph
from tests.derivations.listed import Listed, derived, real
from tests.single_hops import singlehop_examples

LONG = " It stands by the water, and the people of the town still go there on the first day of every single month."


def paragraph(text: str, title: str = "A title") -> Paragraph:
    return Paragraph(title, text + LONG)


def question(key: str, asked: str, *answers: str, text: str = "Ayr was founded by Maud.") -> Example:
    return Example(id=key, question=asked, paragraphs=(paragraph(text),), answers=answers)


MULTIHOP = Example(
    id="3hop1__70_80_90",
    question="When did the sister of the founder of the smith's town die?",
    paragraphs=(paragraph("Maud had a sister, Tib."), paragraph("Ayr bore the smith."), paragraph("Tib died in 1790.")),
    answers=("1790", "the year 1790"),
    hops=(
        Hop("the smith >> birthplace", "Ayr", 1, 70),
        Hop("Who was the sister of the founder of #1?", "Tib", 0, 80),
        Hop("When did #2 die?", "1790", 2, 90),
    ),
)


def test_hops_keep_their_ids_and_get_the_earlier_answers() -> None:
    found, tally = derived(SingleHop(), Listed([MULTIHOP]))
    assert [(one.id, one.question, one.answers) for one in found] == [
        ("70", "the smith >> birthplace", ("Ayr",)),
        ("80", "Who was the sister of the founder of Ayr?", ("Tib",)),
        ("90", "When did Tib die?", ("1790", "the year 1790")),
    ]
    assert [one.paragraphs for one in found] == [(MULTIHOP.paragraphs[k],) for k in (1, 0, 2)]
    assert all(one.supports == (0,) and one.group == one.id and not one.hops for one in found)
    assert all(one.extra == {"source_id": MULTIHOP.id, "source": "listed"} for one in found)
    assert (tally.read, tally.kept) == (3, 3)


def test_a_hop_comes_once_with_the_aliases_of_any_record() -> None:
    short = Example(
        id="2hop__70_80",
        question="Who?",
        paragraphs=MULTIHOP.paragraphs,
        answers=("Tib", "Tibby"),
        hops=MULTIHOP.hops[:2],
    )
    found, tally = derived(SingleHop(), Listed([MULTIHOP, short]))
    assert [one.answers for one in found] == [("Ayr",), ("Tib", "Tibby"), ("1790", "the year 1790")]
    assert tally.dropped == {"the hop came before": 2}
    assert tally.read == tally.kept + tally.dropped.total()


def test_other_questions_are_numbered_past_the_ids_that_are_kept() -> None:
    hop = Example(id="a", question="?", paragraphs=MULTIHOP.paragraphs, hops=(Hop("Who?", "Ayr", 1, 2),))
    source = Listed([question("x1", "Who founded Ayr?", "Maud"), hop, question("7", "Who was it that?", "Maud")])
    assert [one.id for one in derived(SingleHop(), source)[0]] == ["1", "2", "3"]


def test_single_hop_questions_stay_what_they_are() -> None:
    once, _ = derived(SingleHop(), Listed([question("x", "Gone?"), MULTIHOP, question("y", "Who?", "Maud")]))
    again, tally = derived(SingleHop(), Listed(once))
    assert again == once
    assert not tally.dropped


@pytest.mark.parametrize(
    ("example", "options", "reason"),
    [
        (question("1", "Who?"), {}, "the question has no answer"),
        (question("1", " ", "Maud"), {}, "the question is empty"),
        (question("1", "Who met #1?", "Maud"), {}, "the question has a #k of its own"),
        (question("1", "Who?", "Ned"), {}, "the answer is not in the paragraph"),
        (question("1", "Who?", "Maud"), {"fewest_words": 28}, "the paragraph has fewer than 28 words"),
        (question("1", "Who?", "Maud"), {"most_words": 26}, "the paragraph has more than 26 words"),
        (Example("1", "Who?", (), ("Maud",)), {}, "there is no paragraph"),
        (Example("1", "Who?", MULTIHOP.paragraphs, ("Maud",)), {}, "there is not one supporting paragraph"),
        (
            Example("1", "?", (), (), hops=(Hop("Who?", "Ayr", None, 1),)),
            {},
            "the hop's paragraph is not in the context",
        ),
        (
            Example("1", "?", MULTIHOP.paragraphs, (), hops=(Hop("Who is #2?", "Ayr", 1, 1),)),
            {},
            "the hop refers to a hop that is not before it",
        ),
    ],
)
def test_what_is_not_usable_is_dropped_with_its_reason(example: Example, options: dict[str, int], reason: str) -> None:
    found, tally = derived(SingleHop(), Listed([example]), **options)
    assert found == []
    assert tally.dropped == {reason: 1}
    assert tally.read == 1


@pytest.mark.parametrize("options", [{"fewest_words": 27, "most_words": 27}, {"most_words": 0}])
def test_the_limits_themselves_are_allowed(options: dict[str, int]) -> None:
    assert len(derived(SingleHop(), Listed([question("1", "Who?", "maud")]), **options)[0]) == 1


def test_the_answer_may_be_anywhere_where_the_rule_is_off() -> None:
    assert derived(SingleHop(), Listed([question("1", "Who?", "Ned")]), answer_in_paragraph=False)[0]


def test_predictions_refute_by_the_ids_of_records_and_of_hops(tmp_path: Path) -> None:
    lines = [("x", "Ned"), ("x", "old Maud"), ("y", "Ned"), (70, "in Ayr"), ("80", "")]
    file = tmp_path / "predictions.jsonl"
    file.write_text("\n".join(json.dumps({"id": key, "predicted_answer": answer}) for key, answer in lines))
    source = Listed([question("x", "Who?", "Maud"), question("y", "Who?", "Maud"), MULTIHOP])
    found, tally = derived(SingleHop(), source, predictions=str(file))
    assert [one.id for one in found] == ["1", "70"]
    assert tally.dropped == {"no prediction shares a word with the answer": 2, "there is no prediction for it": 1}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("nonsense", "line 1 of the predictions is not JSON"),
        ("\n[1]", "line 2 of the predictions: predicted_answer is missing"),
        ('{"predicted_answer": "a"}', "line 1 of the predictions: id is missing"),
        ('{"id": 1, "predicted_answer": 2}', "predicted_answer is missing or no text"),
    ],
)
def test_bad_predictions_are_named_by_their_line(text: str, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    file.write_text(text)
    with pytest.raises(CannotDerive, match=wrong):
        derived(SingleHop(), Listed([MULTIHOP]), predictions=str(file))


def test_a_missing_file_of_predictions_is_named() -> None:
    with pytest.raises(CannotDerive, match=r"the predictions cannot be read"):
        derived(SingleHop(), Listed([MULTIHOP]), predictions="nowhere.jsonl")


def test_the_demo_gives_its_questions_and_those_of_its_decompositions() -> None:
    found, tally = derived(SingleHop(), Listed(singlehop_examples()))
    assert (len(found), tally.dropped.total()) == (222, 0)
    by_id = {one.id: one for one in found}
    hops, tally = derived(SingleHop(), Listed(multihop_examples(1)))
    assert not set(tally.dropped) - {"the hop came before"}
    assert all(one.paragraphs == by_id[one.id].paragraphs for one in hops)


def test_real_decompositions_come_apart_whole() -> None:
    source = real("musique", "musique_ans_dev_130.jsonl", "musique_ans_train_60.jsonl")
    found, tally = derived(SingleHop(), source)
    assert (tally.read, tally.kept) == (451, 392)
    assert tally.dropped == {"the hop came before": 58, "the hop came before, in other words": 1}
    assert all(one.answer in one.paragraphs[0].text for one in found)


def test_real_squad_questions_with_an_answer_are_usable() -> None:
    found, tally = derived(SingleHop(), real("squad", "squad_dev_v2.0_5_articles.json"))
    assert [one.id for one in found] == [str(k) for k in range(1, 706)]
    assert tally.dropped == {"the question has no answer": 702}


def test_a_question_with_one_supporting_paragraph_of_several_is_one_about_that_paragraph() -> None:
    found, _tally = derived(SingleHop(), Listed([Example("1", "Who?", MULTIHOP.paragraphs, ("Maud",), supports=(1,))]),
                            answer_in_paragraph=False, fewest_words=0)  # fmt: skip
    (single,) = found
    assert single.paragraphs == (MULTIHOP.paragraphs[1],)
