"""Figures of reports over workers and items: by hand, for every kind of report, and none for what has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import fmean, median
from typing import Any

import pytest

from annotation.flow.reports import crossed_figures
from annotation.flow.reports.crossed_figures import units
from annotation.pure.data.example import Example
from annotation.pure.statistics.significance import contrast
from annotation.pure.statistics.worker_intervals import Spread, Unit, label_units, spread
from annotation.registry import task_type
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from tests.tasks.test_people_of_reports import answered

near = pytest.approx


def rows(items: int = 40, people: int = 9, *, most: int = 3, seed: int = 1) -> list[HitWithResponses]:
    """Questions whose answer is "yes"; three to `most` people say yes or no, some more often right."""
    rng, found = Random(seed), []
    said = {answer: {"kind": answer, "text": answer, "support": []} for answer in ("yes", "no")}
    for number in range(items):
        example = Example(id=f"q{number}", question="Is it?", paragraphs=(), answers=("yes",))
        names = rng.sample(range(people), rng.randint(3, most))
        given = tuple(
            GivenResponse(f"w{who}", said["yes" if rng.random() < 0.6 + who / 30 else "no"], 9.0) for who in names
        )
        payload = {"question": "Is it?", "paragraphs": []}
        found.append(HitWithResponses(f"h{number}", "d", "jsonl", example, payload, given, wanted=3))
    return found


def answer_report(some: Sequence[HitWithResponses]) -> JSON:
    task = task_type("answer")
    return dict(task.report(some, task.options({"yes_no": True, "support": False}), seed=1))


def right(row: HitWithResponses) -> dict[str, float]:
    return {given.worker: float(given.answer["kind"] == "yes") for given in row.given}


def known(found: dict[str, Unit] | None) -> Spread:
    assert found is not None
    result = spread(found.values())
    assert result is not None
    return result


def by_hand(some: Sequence[HitWithResponses], value: Any) -> Spread:
    result = spread(label_units(map(right, some), value))
    assert result is not None
    return result


def majority(labels: list[float]) -> float:
    return 0.5 if 2 * sum(labels) == len(labels) else float(2 * sum(labels) > len(labels))


def test_the_units_of_a_report_are_those_worked_out_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    some = rows()
    base = "datasets.d.answer"
    paths = [f"{base}.average.em", f"{base}.human_score.em", f"{base}.upper_bound.em"]
    monkeypatch.setattr(crossed_figures, "MOST", 5_000)  # no time to leave each response out of the whole report
    found = units(some, answer_report, paths)
    for path, value in zip(paths, (fmean, majority, max), strict=True):
        own, hand = known(found[path]), by_hand(some, value)
        assert (own.value, own.error, own.degrees, own.n) == (near(hand.value), near(hand.error), 8, 40)


def test_figures_of_another_k_and_of_unequal_numbers_of_responses_are_measured_too() -> None:
    """At k = 3, where some items have five responses: the report's own expected values over draws of three."""
    some = rows(most=5, seed=3)
    content = answer_report(some)
    assert (content["k"], content["datasets"]["d"]["more"] > 0) == (3, True)
    path = "datasets.d.answer.human_score.em"
    found = known(units(some, answer_report, [path])[path])
    assert found.value == near(content["datasets"]["d"]["answer"]["human_score"]["em"]["value"])
    assert found.error is not None
    assert 0.5 < found.error / (by_hand(some, majority).error or 1) < 1.5


def test_a_figure_in_a_table_is_measured_over_questions_with_all_of_their_instances() -> None:
    some = answered(9, groups=15)
    task = task_type("answerability")

    def report(part: Sequence[HitWithResponses]) -> JSON:
        return dict(task.report(part, task.options({}), seed=1))

    content = report(some)
    [labels] = [table for table in content["tables"] if table["name"] == "labels"]
    path = "tables.labels.0.3"
    found = known(units(some, report, [path])[path])
    assert found.value == near(labels["rows"][0][3]["value"])
    assert (found.n, labels["rows"][0][3]["n"]) == (15, 30)


def squared(some: Sequence[HitWithResponses]) -> JSON:
    """Figures that are no means: the square of a share, a median, an alpha, a plain number."""
    shares = [fmean(right(row).values()) for row in some if row.given]
    share, n = (fmean(shares), len(shares)) if shares else (None, 0)
    return {
        "square": {"value": None if share is None else share**2, "n": n},
        "median": {"value": median(shares) if shares else None, "n": n},
        "tables": [{"name": "agreement", "columns": ["", ""], "rows": [["Alpha", {"value": share, "n": n}]]}],
        "plain": share,
    }


def test_what_is_no_mean_is_jackknifed() -> None:
    """The delta method says that a square's error is twice its root's times the root."""
    some = rows(60)
    found, hand = known(units(some, squared, ["square"])["square"]), by_hand(some, fmean)
    assert found.error == near(2 * hand.value * (hand.error or 0), rel=0.05)


def test_medians_alphas_plain_numbers_and_what_is_not_there_have_no_spread() -> None:
    paths = ["median", "tables.agreement.0.1", "plain", "nothing.there", "tables.agreement.7.1"]
    assert units(rows(20), squared, paths) == dict.fromkeys(paths)


def test_a_row_of_a_table_is_found_where_others_are_missing() -> None:
    def report(some: Sequence[HitWithResponses]) -> JSON:
        cells = []
        for name in (0, 1):
            own = [fmean(right(row).values()) for row in some if row.given and int(row.example.id[1:]) % 2 == name]
            cells += [[["even", "odd"][name], {"value": fmean(own), "n": len(own)}]] if own else []
        return {"tables": [{"name": "kinds", "columns": ["Kind", "Share"], "rows": cells}]}

    some = rows(40)
    found = known(units(some, report, ["tables.kinds.1.1"])["tables.kinds.1.1"])
    hand = by_hand([row for row in some if int(row.example.id[1:]) % 2], fmean)
    assert (found.value, found.error, found.n) == (near(hand.value), near(hand.error), 20)


def test_reports_within_are_not_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: Any, **__: Any) -> None:
        raise AssertionError("resampled")

    monkeypatch.setattr("annotation.pure.statistics.intervals._resampled_means", dies)
    path = "datasets.d.answer.average.em"
    assert units(rows(15), answer_report, [path])[path]
    with pytest.raises(AssertionError, match="resampled"):
        answer_report(rows(15))


def test_batches_of_the_same_questions_are_paired_by_question() -> None:
    first = rows(seed=1)
    second = [
        replace(row, hit=f"x{row.hit}", example=replace(row.example, id=f"x{row.example.id}", group=row.example.id))
        for row in rows(seed=2)
    ]
    path = "datasets.d.answer.average.em"
    one, other = (units(some, answer_report, [path])[path] for some in (first, second))
    assert one is not None
    assert other is not None
    assert one.keys() == other.keys()
    found = contrast(one, other)
    assert found is not None
    assert found.value == near(known(one).value - known(other).value)
    assert found.n == 40
