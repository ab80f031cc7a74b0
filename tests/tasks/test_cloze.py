"""Words typed into blanks: which sentence and words, what matches, what several responses add up to, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from annotation import registry
from annotation.derivations import DERIVATIONS
from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Project
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.reports.tables import cell_text, note_of, sentence
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from tests.batches import create_batch
from tests.derivations.listed import Listed, derived
from tests.flow import acting

TASK = registry.task_type("cloze")
TEXT = "The Plover was launched by Ada Lorne at Tolmouth in 1871. Ada Lorne sold her to him."


def source(text: str = TEXT, answer: str = "Ada Lorne", **more: Any) -> Example:
    return replace(Example("q1", "Who launched the Plover?", (Paragraph("", text),), (answer,)), **more)


def ablated(number: int, example: Example | None = None) -> Example:
    [made] = derived(DERIVATIONS[f"ablation:{number}"], Listed([example or source()]), seed=1, seeds=1)[0]
    return made


def prepared(example: Example, seed: int = 1) -> JSON | None:
    return TASK.prepare(example, TASK.options({}), Random(seed))


def payload_of(example: Example, seed: int = 1) -> JSON:
    payload = prepared(example, seed)
    assert payload is not None
    return payload


def shown(payload: JSON) -> str:
    """The sentence as it reads on the page."""
    return "".join(
        piece.get("text") or ("<answer>" if "answer" in piece else f"_{piece['instead']}_")
        for piece in payload["sentence"]
    )


def removed(example: Example, payload: JSON) -> list[str]:
    return list(TASK.imitate(payload, example, Random(1), right=True)["words"])  # type: ignore[attr-defined]


def typed(*words: str, necessary: bool = False) -> JSON:
    return {"words": list(words), "necessary": necessary}


# The sentence and its blanks


def test_the_blanks_are_the_dropped_words_of_the_sentence_with_the_answer() -> None:
    example = ablated(3)
    payload = payload_of(example)
    assert shown(payload) == "__ Plover __ launched __ <answer> __ Tolmouth __ 1871."
    assert removed(example, payload) == ["The", "was", "by", "at", "in"]


def test_five_of_more_dropped_words_are_drawn_and_others_stay_dropped() -> None:
    example = ablated(2, source("In 1871 Ada Lorne launched the small Plover near the old pier of Tolmouth."))
    drawn = {tuple(removed(example, payload_of(example, seed))) for seed in range(30)}
    assert len(drawn) > 5
    assert {word for words in drawn for word in words} == {
        "1871", "launched", "small", "Plover", "near", "old", "pier", "Tolmouth",
    }  # fmt: skip
    payload = payload_of(example)
    assert shown(payload).count("__") == 5
    assert shown(payload).count("[UNK]") == 3
    assert payload == payload_of(example)


def test_the_place_that_the_source_notes_is_the_answers() -> None:
    text = "Ada Lorne had it. The Plover was launched by Ada Lorne at Tolmouth and sold to him in the end."
    noted = {"fields": {"answers": [{"text": "Ada Lorne", "answer_start": text.rindex("Ada")}]}}
    example = ablated(3, source(text, extra={"@squad": noted}))
    assert shown(payload_of(example)).count("launched") == 1


def test_a_supporting_paragraph_comes_before_the_first_mention() -> None:
    first, second = Paragraph("A", "Ada Lorne was at it by him in the end."), Paragraph("B", TEXT)
    two = source(paragraphs=(first, second))
    assert payload_of(ablated(3, two))["paragraph"] == 0
    assert payload_of(ablated(3, replace(two, supports=(1,))))["paragraph"] == 1


def test_tags_of_the_anonymized_vocabulary_stand_by_their_blanks() -> None:
    example = ablated(4)
    payload = payload_of(example)
    instead = [piece["instead"] for piece in payload["sentence"] if "blank" in piece]
    assert len(instead) == 5
    assert all(tag.startswith("@") for tag in instead)
    assert set(removed(example, payload)) <= {"The", "Plover", "was", "launched", "by", "at", "Tolmouth", "in", "1871"}


def test_parts_of_contractions_are_no_blanks() -> None:
    text = "It's by the pier that Ada Lorne's ship wasn't at all on the way to him."
    example = ablated(3, source(text))
    words = {word for seed in range(30) for word in removed(example, payload_of(example, seed))}
    assert words == {"by", "the", "that", "at", "all", "on", "to", "him"}


@pytest.mark.parametrize("number", [1, 6, 7, 8, 9, 12, 13])
def test_ablations_that_leave_the_words_of_the_sentence_give_no_item(number: int) -> None:
    assert prepared(ablated(number)) is None


def test_other_items_are_left_out() -> None:
    assert prepared(source()) is None, "it was not ablated"
    assert prepared(ablated(3, source("The Plover was launched by Ada Lorne."))) is None, "only three words are gone"
    whole = ablated(3)
    without = {name: value for name, value in whole.extra.items() if name != "@original"}
    assert prepared(replace(whole, extra=without)) is None, "its original is not known"


def test_a_right_option_that_stands_in_the_text_makes_an_item() -> None:
    options = ("Ada Lorne", "Jory Finch")
    assert payload_of(ablated(3, source(options=options)))["options"] == list(options)
    anonymous = payload_of(ablated(4, source(options=options)))
    assert "<answer>" in shown(anonymous)
    assert prepared(ablated(3, source(answer="nobody", options=("nobody", "Ada Lorne")))) is None


def test_neither_the_answer_nor_a_removed_word_is_in_the_payload() -> None:
    """The folder's `shows` names what the payload depends on: which sentence holds the answer, and where."""
    text = "Ada Lorne's yard. In 1871 Ada Lorne proudly launched the small Plover off Tolmouth. She, Ada Lorne, left."
    for number in (2, 3, 4):
        plain = source(text, paragraphs=(Paragraph("Ada Lorne", text), Paragraph("Lum", "It is a river.")))
        example = ablated(number, plain)
        if (payload := prepared(example)) is None:
            continue
        told = json.dumps({**payload, "question": ""}, ensure_ascii=False)
        assert "Ada" not in told
        assert "Lorne" not in told
        words = removed(example, payload)
        assert not [word for word in words if number != 3 and word in told], words
        assert "original" not in told


# Words


@pytest.mark.parametrize(
    ("word", "right"),
    [("launched", True), ("launch", True), ("Launches", True), ("“launched”", True), ("sold", False), ("?", False)],
)
def test_content_words_match_by_lemma(word: str, right: bool) -> None:
    example = ablated(2, source("In 1871 Ada Lorne launched the Plover near Tolmouth."))
    payload = payload_of(example)
    words = ["1871", "launched", "Plover", "near", "Tolmouth"]
    assert removed(example, payload) == words
    words[1] = word
    assert TASK.grade(payload, typed(*words), example) == pytest.approx(1.0 if right else 0.8)


@pytest.mark.parametrize(("word", "right"), [("was", True), ("WAS", True), ("is", False), ("been", False)])
def test_function_words_match_exactly_but_for_capitals(word: str, right: bool) -> None:
    example = ablated(3)
    answer = typed("the", word, "by", "at", "in")
    assert TASK.grade(payload_of(example), answer, example) == pytest.approx(1.0 if right else 0.8)


def test_a_blank_needs_one_word_or_a_question_mark() -> None:
    payload = payload_of(ablated(3))
    assert TASK.check(payload, typed("the", "?", "by", "?", "in")) == []
    fields = [problem.field for problem in TASK.check(payload, typed("", "has been", "by", " ", "in"))]
    assert fields == ["blank-0", "blank-1", "blank-3"]
    assert [problem.field for problem in TASK.check(payload, {"words": ["a"] * 5})] == ["necessary"]


def test_a_response_from_elsewhere_has_five_words() -> None:
    payload = payload_of(ablated(3))
    assert TASK.complete(payload, typed(" the ", "was", "by", "?", "in"))["words"][0] == "the"
    for answer in ({"words": ["the"] * 4, "necessary": True}, {"words": "the", "necessary": True}, ["the"]):
        with pytest.raises(ValueError, match=r"words|needs"):
            TASK.complete(payload, answer)


# Several responses


def test_the_aggregate_is_the_most_frequent_word_of_each_blank() -> None:
    payload = payload_of(ablated(2, source("In 1871 Ada Lorne launched the Plover near Tolmouth.")))
    answers = [
        typed("1871", "launched", "ship", "?", "?", necessary=True),
        typed("1870", "launch", "boat", "?", "Lum"),
        typed("1871", "sold", "Ships", "near", "?", necessary=True),
    ]
    found = TASK.aggregate(payload, answers)
    assert [one["word"] for one in found["words"]] == ["1871", "launched", "ship", "", ""]
    assert found["words"][1]["votes"] == {"launched": 2, "sold": 1}
    assert found["words"][3]["votes"] == {"?": 2, "near": 1}
    assert (found["kind"], found["votes"]) == ("necessary", {"necessary": 2, "unnecessary": 1})


def test_a_tied_blank_does_not_match_even_with_the_right_word() -> None:
    example = ablated(3)
    payload = payload_of(example)
    [made] = TASK.export(example, TASK.aggregate(payload, [typed("the", "was", "by", "at", "in")] * 2))
    assert made.extra["reconstructability"]["matched"] == 5
    both = [typed("the", "was", "by", "at", "in"), typed("the", "was", "by", "on", "of")]
    [made] = TASK.export(example, TASK.aggregate(payload, both))
    found = made.extra["reconstructability"]
    assert (found["matched"], found["reconstructable"], found["class"]) == (3, True, "gamma")
    assert found["blanks"][3] == {"removed": "at", "typed": ""}


@pytest.mark.parametrize(
    ("words", "necessary", "kind"),
    [
        (("the", "was", "by", "?", "?"), False, "gamma"),
        (("the", "was", "by", "?", "?"), True, "delta"),
        (("the", "was", "?", "?", "?"), False, ""),
    ],
)
def test_three_of_five_blanks_make_a_sentence_reconstructable(
    words: tuple[str, ...], necessary: bool, kind: str
) -> None:
    example = ablated(3)
    aggregate = TASK.aggregate(payload_of(example), [typed(*words, necessary=necessary)])
    [made] = TASK.export(example, aggregate)
    assert made.extra["reconstructability"]["class"] == kind


def test_a_tie_about_necessity_waits_for_a_requester_and_is_not_exported() -> None:
    example = ablated(3)
    answers = [typed("the", "was", "by", "at", "in", necessary=necessary) for necessary in (True, False)]
    aggregate = TASK.aggregate(payload_of(example), answers)
    assert TASK.unsettled(aggregate)
    assert TASK.export(example, aggregate) == []


def test_responses_stand_beside_the_original_except_while_adjudicating() -> None:
    example = ablated(3)
    payload = payload_of(example)
    given = [GivenResponse("ada", typed("the", "is", "by", "at", "in"))]
    found = TASK.compare(payload, given, example)  # type: ignore[attr-defined]
    assert [row["removed"] for row in found["rows"]] == ["The", "was", "by", "at", "in"]
    assert [row["responses"][0]["right"] for row in found["rows"]] == [True, False, True, True, True]
    blind = TASK.compare(payload, given, Example("", "", ()))  # type: ignore[attr-defined]
    assert {row["removed"] for row in blind["rows"]} == {""}


# The report


def judged(number: int, *answers: JSON, at: int = 0, dataset: str = "squad") -> HitWithResponses:
    example = replace(ablated(number), id=f"q{at}", group=f"q{at}")
    given = tuple(GivenResponse(f"w{k}", answer) for k, answer in enumerate(answers))
    return HitWithResponses(f"{number}-{at}", dataset, "squad", example, payload_of(example), given)


def rows_of(report: JSON, name: str) -> list[list[Any]]:
    return list(next(each["rows"] for each in report["tables"] if each["name"] == name))


def report_of(*rows: HitWithResponses) -> JSON:
    return TASK.report(rows, TASK.options({}), seed=1)


RIGHT, HALF, NONE = ("the", "was", "by", "at", "in"), ("the", "was", "by", "?", "?"), ("?",) * 5


def test_shares_come_by_ablation_and_dataset() -> None:
    report = report_of(
        judged(3, typed(*RIGHT), at=0),
        judged(3, typed(*HALF, necessary=True), at=1),
        judged(3, typed(*NONE), at=2),
        judged(3, typed(*RIGHT), typed(*RIGHT, necessary=True), at=3),
        judged(4, typed(*NONE), at=4),
    )
    three, four = rows_of(report, "reconstructability")
    assert [cell_text(row[0]) for row in (three, four)] == ["3. Content words only", "4. Vocabulary anonymization"]
    assert three[1:3] == ["squad", 4]
    assert three[3]["value"] == pytest.approx((1 + 0.6 + 0 + 1) / 4)
    assert (three[4]["value"], three[4]["n"]) == (0.75, 4)
    assert [(cell["value"], cell["n"]) for cell in three[5:]] == [(pytest.approx(1 / 3), 3), (pytest.approx(1 / 3), 3)]
    assert four[4]["value"] == 0
    assert " ".join(sentence(one) for one in report["paragraph"]).startswith(
        "5 ablated sentences were filled in. By majority, 3 of 4 are reconstructable (3. Content words only; squad). "
        "By majority, 0 of 1 are reconstructable (4. Vocabulary anonymization; squad). "
        "For 1, annotators are tied on whether the removed words are necessary."
    )


def test_the_share_of_reconstructable_items_stands_at_three_thresholds_beside_chance() -> None:
    text = "The Plover was the ship that the yard sold to the town before it burnt, Ada Lorne says."
    often = ablated(3, source(text))
    payload = payload_of(often)
    four = ("?", *removed(often, payload)[1:])
    row = HitWithResponses("h", "squad", "squad", replace(often, id="o"), payload, (GivenResponse("w", typed(*four)),))
    two = judged(3, typed("the", "was", "?", "?", "?"), at=1)
    workers, chance = rows_of(report_of(row, two, judged(3, typed(*NONE), at=2)), "thresholds")
    assert [cell_text(cells[2]) for cells in (workers, chance)] == ["workers", "chance: always “the”"]
    assert [cell["value"] for cell in workers[5:]] == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    known = [sum(word.lower() == "the" for word in removed(often, payload)), 1, 1]
    assert chance[4]["value"] == pytest.approx(sum(known) / 15)
    assert [cell["value"] for cell in chance[5:]] == pytest.approx([sum(k >= n for k in known) / 3 for n in (2, 3, 4)])
    assert chance[5]["value"] > 0
    for cell in (*workers[4:], *chance[4:]):
        assert cell["n"] == 3
        assert cell["low"] <= cell["value"] <= cell["high"]


def test_chance_finds_no_content_words() -> None:
    content = ablated(2, source("In 1871 Ada Lorne launched the Plover near Tolmouth."))
    row = HitWithResponses("h", "squad", "squad", content, payload_of(content), (GivenResponse("w", typed(*NONE)),))
    _workers, chance = rows_of(report_of(row), "thresholds")
    assert (cell_text(chance[2]), chance[4]["value"]) == ("chance: always “the”", 0.0)


def test_the_report_says_that_the_papers_shares_are_another_construct() -> None:
    table = next(each for each in report_of(judged(3, typed(*RIGHT)))["tables"] if each["name"] == "reconstructability")
    note = note_of(table)
    assert "not comparable with the paper's 55.0 % (SQuAD) and 15.0 % (RACE)" in note
    assert "different construct" in note


def test_items_of_one_question_are_resampled_together() -> None:
    single = report_of(*(judged(3, typed(*(RIGHT if k % 2 else NONE)), at=k) for k in range(10)))
    many = [judged(3, typed(*(RIGHT if k % 2 else NONE)), at=k) for k in range(10) for _copy in range(5)]
    repeated = report_of(*(replace(row, hit=f"{row.hit}-{k}") for k, row in enumerate(many)))
    (own,), (copies,) = rows_of(single, "reconstructability"), rows_of(repeated, "reconstructability")
    assert copies[4]["n"] == 50
    assert copies[4]["high"] - copies[4]["low"] > 0.75 * (own[4]["high"] - own[4]["low"])


def test_content_and_function_words_are_told_apart() -> None:
    text = "In 1871 Ada Lorne launched the Plover near Tolmouth."
    content = ablated(2, source(text))
    given = (GivenResponse("w", typed("1871", "launch", "?", "?", "?")),)
    row = HitWithResponses("h", "squad", "squad", content, payload_of(content), given)
    rows = rows_of(report_of(row, judged(3, typed(*RIGHT))), "kinds")
    found = {(cell_text(row[0])[0], cell_text(row[2])): row for row in rows}
    assert found["2", "content words"][3] == 5
    assert found["2", "content words"][4]["value"] == pytest.approx(0.4)
    assert found["3", "function words"][4]["value"] == 1


def test_workers_are_compared_on_words_and_on_necessity() -> None:
    report = report_of(*(judged(3, typed(*RIGHT), typed(*HALF, necessary=bool(k % 2)), at=k) for k in range(4)))
    words, alpha = rows_of(report, "word-agreement")
    assert words[1] == pytest.approx(0.6)
    assert alpha[1] < 1
    assert rows_of(report, "agreement")[0][1] == pytest.approx(0.5)


# Who fills them


@pytest.mark.django_db
def test_whoever_has_judged_a_question_gets_no_blanks_of_it(project: Project, tmp_path: Any) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text(json.dumps(ablated(3).as_json()) + "\n")
    import_dataset(project, file, format="jsonl", name="items")
    terms = {"datasets": list(project.datasets.all()), "instructions": "Read."}
    reports, blanks = (create_batch(project, task, task=task, **terms) for task in ("solvability", "cloze"))
    for batch in (reports, blanks):
        batch_launch.launch(batch)
    ada, ben = (acting.newcomer(project, name) for name in ("ada", "ben"))
    assert acting.take(ada, reports) is not None
    assert acting.take(ada, blanks) is None
    assert acting.take(ben, blanks) is not None
