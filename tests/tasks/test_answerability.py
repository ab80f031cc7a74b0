"""Instances judged: agreement with the labels, groups of twins and of transforms, what is exported, who meets what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, count
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.derivations import DERIVATIONS
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.reports.tables import note_of, sentence
from annotation.pure.statistics.intervals import wilson
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses
from tests.derivations.listed import Listed, derived
from tests.derivations.test_dire import well

TASK = task_type("answerability")
TRANSFORM = DERIVATIONS["dire-transform"]
JSON = dict[str, Any]
NOT: JSON = {"answerable": False, "text": ""}
HITS = count()


def twins(number: int, hops: int = 2) -> list[Example]:
    """A question whose answer stands in its second paragraph, with and without that paragraph."""
    texts = [f"Ferry {number} was built by Osla.", f"Osla was born in Harrow {number}.", "An inn of no concern."]
    able = Example(
        f"q{number}",
        f"Where was the builder of ferry {number} born?",
        tuple(Paragraph(f"P{k}", text) for k, text in enumerate(texts)),
        answers=(f"Harrow {number}",),
        supports=(0, 1),
        answerable=True,
        group=f"q{number}",
        shape=f"{hops}hop",
    )
    lacking = (able.paragraphs[0], able.paragraphs[2], Paragraph("P3", "Another inn."))
    return [able, replace(able, paragraphs=lacking, supports=(0,), answerable=False)]


def payload_of(example: Example, **options: Any) -> JSON:
    payload = TASK.prepare(example, TASK.options(options), Random(0))
    assert payload is not None
    return payload


def judged(
    example: Example, *result: JSON, excluded: str = "", format: str = "musique", dataset: str = "full"
) -> HitWithResponses:
    """The instance with one answer of each worker, as `complete` takes them."""
    payload = payload_of(example)
    given = tuple(GivenResponse(f"worker {k}", TASK.complete(payload, one), 20.0) for k, one in enumerate(result))
    return HitWithResponses(f"hit-{next(HITS)}", dataset, format, example, payload, given, excluded)


def right(example: Example) -> JSON:
    """The answer that the labels want."""
    return {"text": example.answers[0], "support": list(example.supports or ())} if example.answerable else NOT


def report(rows: Iterable[HitWithResponses], **options: Any) -> JSON:
    return dict(TASK.report(rows, TASK.options(options), seed=1))


def tables(made: JSON) -> dict[str, list[list[Any]]]:
    return {table["name"]: table["rows"] for table in made["tables"]}


def figures(made: JSON, name: str = "groups") -> list[float | None]:
    """Answer F1 and EM, support F1 and EM, all labels right, of the first row."""
    return [cell["value"] for cell in tables(made)[name][0][-5:]]


def test_forty_five_of_fifty_is_the_papers_agreement_with_its_interval() -> None:
    instances = [twins(k)[k % 2] for k in range(50)]
    wrong = {3, 14, 20, 31, 49}
    rows = []
    for k, example in enumerate(instances):
        other = NOT if example.answerable else {"text": "Osla", "support": [0]}
        rows.append(judged(example, other if k in wrong else right(example)))
    made = report(rows, singles=True)
    ((_name, hits, answers, majority, single),) = tables(made)["labels"]
    assert (hits, answers) == (50, 50)
    assert majority == single == wilson(45, 50).as_json()
    assert [round(100 * majority[end]) for end in ("value", "low", "high")] == [90, 79, 96]
    assert sentence(made["paragraph"][0]) == (
        "By majority, people agreed with the label of 45 of 50 instances (90.0 % [78.6, 95.7])."
    )
    assert "groups" not in tables(made)


def test_the_confusion_table_counts_majorities_and_answers() -> None:
    able, lacking = twins(1)
    rows = [
        judged(able, right(able), right(able), NOT),
        judged(twins(2)[0], NOT, right(twins(2)[0])),
        judged(lacking, NOT, NOT, {"text": "Osla", "support": [0]}),
        judged(twins(3)[1], {"text": "Osla", "support": [0]}),
    ]
    of_able, of_lacking = tables(report(rows))["said"]
    assert of_able[1:7] == [2, 1, 1, 0, 3, 2]
    assert of_lacking[1:7] == [2, 1, 0, 1, 2, 2]
    assert of_able[7]["value"] == 3 / 5
    ((*_, majority, _single),) = tables(report(rows))["labels"]
    assert majority["value"] == (1 + 0.5 + 1 + 0) / 4


def test_a_pair_scores_what_its_answerable_twin_does_while_both_labels_are_right() -> None:
    able, lacking = twins(1)
    rows = [judged(able, {"text": "Harrow 1", "support": [1]}), judged(lacking, NOT)]
    assert figures(report(rows)) == pytest.approx([1, 1, 2 / 3, 0, 1])
    fooled = [rows[0], judged(lacking, {"text": "Osla", "support": [0]})]
    assert figures(report(fooled)) == [0, 0, 0, 0, 0]
    given_up = [judged(able, NOT), rows[1]]
    assert figures(report(given_up)) == [0, 0, 0, 0, 0]


def test_a_tie_counts_by_its_chance_and_the_answer_by_those_who_gave_one() -> None:
    able, lacking = twins(1)
    rows = [judged(able, right(able), NOT), judged(lacking, NOT, {"text": "Osla", "support": [0]})]
    assert figures(report(rows)) == pytest.approx([0.25] * 5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows[:1], "the other instances are not in this batch"),
        (lambda rows: rows[1:], "the other instances are not in this batch"),
        (lambda rows: [rows[0], replace(rows[1], given=())], "an instance has no response yet"),
        (lambda rows: [rows[0], replace(rows[1], excluded="broken")], "an instance is excluded from scores"),
        (lambda rows: [rows[0], rows[0]], "more than one instance is answerable"),
        (lambda rows: [rows[1], rows[1]], "no instance is answerable"),
        (
            lambda rows: [replace(row, example=replace(row.example, answerable=None)) for row in rows],
            "the source hides the labels",
        ),
    ],
)
def test_groups_that_are_not_whole_are_left_out_with_the_reason(
    change: Callable[[list[HitWithResponses]], list[HitWithResponses]], reason: str
) -> None:
    rows = [judged(each, right(each)) for each in twins(1)]
    whole = [judged(each, right(each)) for each in twins(2)]
    made = report([*whole, *change(rows)])
    assert tables(made)["groups"][0][1:3] == [1, 1]
    assert [(row[0]["text"], row[1]) for row in tables(made)["groups-left-out"]] == [(reason, 1)]


def test_two_datasets_are_told_apart_and_summed_up() -> None:
    rows = [judged(each, right(each), dataset=name) for name in ("one", "two") for each in twins(1)]
    made = tables(report(rows))
    assert [row[0] for row in made["groups"]][1:] == ["one", "two"]
    assert [row[1] for row in made["groups"]] == [2, 1, 1]
    assert [row[1] for row in made["labels"]] == [4, 2, 2]


def test_a_model_stands_beside_people_on_the_groups_that_both_did() -> None:
    rows = []
    for number in (1, 2):
        for each in twins(number):
            row = judged(each, right(each))
            said = right(each) if number == 1 else NOT
            rows.append(replace(row, predicted=(GivenResponse("clever", TASK.complete(row.payload, said)),)))
    clever, people = tables(report(rows))["models"]
    assert (clever[0], clever[1], clever[2]["value"], clever[6]["value"]) == ("clever", 2, 0.5, 0.5)
    assert people[2]["value"] == 1


def test_a_model_that_predicts_no_support_is_not_scored_on_it() -> None:
    rows = []
    for each in twins(1):
        row = judged(each, right(each))
        said = {**right(each), "support": []}
        rows.append(replace(row, predicted=(GivenResponse("of answers", TASK.complete(row.payload, said)),)))
    model, people = tables(report(rows))["models"]
    assert (model[2]["value"], model[6]["value"], people[4]["value"]) == (1, 1, 1)
    assert [(cell["value"], cell["n"]) for cell in model[4:6]] == [(None, 0)] * 2


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4), st.integers(0, 9))
def test_the_report_does_not_depend_on_who_came_first(said: list[tuple[bool, bool]], seed: int) -> None:
    able, lacking = twins(1)
    answers = [(right(able) if a else NOT, NOT if b else {"text": "Osla", "support": [0]}) for a, b in said]
    rows = [judged(able, *(a for a, _ in answers)), judged(lacking, *(b for _, b in answers))]
    turned = [replace(row, given=tuple(Random(seed).sample(row.given, len(row.given)))) for row in rows[::-1]]
    assert figures(report(rows)) == figures(report(turned))


# What is exported, graded and taken from elsewhere.


def aggregate(example: Example, *result: JSON) -> JSON:
    payload = payload_of(example)
    return dict(TASK.aggregate(payload, [TASK.complete(payload, one) for one in result]))


def test_people_relabel_what_they_agree_on_and_leave_out_what_they_do_not() -> None:
    able, lacking = twins(1)
    (made,) = TASK.export(able, aggregate(able, NOT, NOT, right(able)))
    assert (made.answerable, made.answers, made.supports) == (False, able.answers, able.supports)
    (made,) = TASK.export(lacking, aggregate(lacking, {"text": "Osla", "support": [0]}))
    assert (made.answerable, made.answers, made.supports) == (True, ("Osla", "Harrow 1"), (0,))
    assert TASK.export(able, aggregate(able, NOT, right(able))) == []
    torn = [{"text": "Osla", "support": [0]}, {"text": "Harrow 1", "support": [0]}]
    assert aggregate(able, *torn)["kind"] == "answerable"
    assert TASK.export(able, aggregate(able, *torn)) == []
    assert TASK.export(able, aggregate(able)) == []


def test_a_transforms_own_label_follows_where_people_contradict_it() -> None:
    (whole, part, _other), _tally = derived(TRANSFORM, Listed([well(1)]))
    texts = [paragraph.text for paragraph in part.paragraphs]
    words = {"text": texts[0].split()[0], "support": [0]}
    assert TASK.export(whole, aggregate(whole, NOT))[0].extra["sufficiency"] == 0
    assert TASK.export(part, aggregate(part, words))[0].extra["sufficiency"] == 1
    probe = replace(part, extra={**part.extra, "sufficiency": -1})
    assert TASK.export(probe, aggregate(probe, NOT))[0].extra["sufficiency"] == -1


def test_an_answer_that_a_requester_accepted_decides() -> None:
    able = twins(1)[0]
    payload = payload_of(able)
    accepted = TASK.complete(payload, right(able)) | {"accepted": True}
    found = TASK.aggregate(payload, [accepted])
    assert found["kind"] == "answerable"
    assert "accepted" not in found["answer"]
    assert not TASK.unsettled(found)
    assert TASK.unsettled(aggregate(able, NOT, right(able)))


@pytest.mark.parametrize(
    ("result", "grade"),
    [({"text": "Harrow 1", "support": [1]}, 1), ({"text": "Harrow", "support": [1]}, 2 / 3), (NOT, 0)],
)
def test_the_grade_of_what_is_answerable_is_answer_f1(result: JSON, grade: float) -> None:
    able, lacking = twins(1)
    payload = payload_of(able)
    assert TASK.grade(payload, TASK.complete(payload, result), able) == pytest.approx(grade)
    assert TASK.grade(payload, TASK.complete(payload, result), lacking) == float(result is NOT)


UNFIT = [None, {"text": 1}, {"answerable": True}, {"answerable": "yes", "text": "Osla"}, {"text": "x", "support": [9]}]


@pytest.mark.parametrize("result", UNFIT)
def test_judgments_from_elsewhere_that_do_not_fit_are_refused(result: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        TASK.complete(payload_of(twins(1)[0]), result)


def test_judgments_from_elsewhere_may_leave_out_what_follows() -> None:
    payload = payload_of(twins(1)[0])
    assert TASK.complete(payload, {"answerable": False}) == TASK.complete(payload, {"text": ""})
    assert TASK.complete(payload, {"answerable": False, "text": "Osla"})["kind"] == "none"
    assert TASK.complete(payload, {"text": "Osla", "support": [0]})["answerable"] is True


def test_a_pair_with_more_answers_scores_as_the_mean_over_every_draw_of_those_of_the_others() -> None:
    """Three answers each, but five to the answerable twin of the first pair and four to its contrast."""
    (able, lacking), (other, without) = twins(1), twins(2)
    half = right(able) | {"text": "Harrow"}
    result, denied = [right(able), half, NOT, right(able), half], [NOT, right(able), NOT, half]
    rest = [judged(other, *[right(other)] * 3), judged(without, *[NOT] * 3)]
    made = report([judged(able, *result), judged(lacking, *denied), *rest])
    each = [
        figures(report([judged(able, *some), judged(lacking, *also), *rest]))
        for some in combinations(result, 3)
        for also in combinations(denied, 3)
    ]
    assert figures(made) == pytest.approx([fmean(values) for values in zip(*each, strict=True)])

    def plain(one: JSON) -> list[float]:
        return [cell["value"] for cell in tables(one)["answerable"][0][-4:]]

    able_only = [plain(report([judged(able, *some), *rest])) for some in combinations(result, 3)]
    assert plain(made) == pytest.approx([fmean(values) for values in zip(*able_only, strict=True)])
    for name in ("groups", "answerable"):
        note = note_of(next(table for table in made["tables"] if table["name"] == name))
        assert "Figures use k = 3 responses per item." in note
