"""Who is marked on an invented log of people at work: few honest people, nobody who listens, most who paste."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from annotation.pure.batches.page_counts import NAMES, read_counts, total
from annotation.pure.reports.own_answers import FAST, PASTED, OwnAnswers, least_seconds, own_answer_tables
from annotation.pure.reports.tables import cell_text

WORDS = 131  # of HotpotQA's supporting paragraphs, the median
Response = tuple[float, dict[str, int]]


def counts(pasted: int = 0, entered: int = 20, away: int = 0) -> dict[str, int]:
    return {"pasted": pasted, "entered": entered, "away": away, "away_seconds": 30 * away}


def honest(rng: random.Random) -> Response:
    """Reads with 200 to 400 words a minute; once in a while something is pasted, or the page is left."""
    odd = counts(pasted=20) if rng.random() < 0.02 else counts(away=rng.random() < 0.2)
    return 10 + 60 * WORDS / rng.uniform(200, 400), odd


def pasting(rng: random.Random) -> Response:
    return rng.uniform(20, 60), counts(pasted=20) if rng.random() < 0.8 else counts()


def slow(rng: random.Random) -> Response:
    return rng.uniform(200, 900), counts(away=rng.randrange(3))


def listening(rng: random.Random) -> Response:
    """A screen reader at 450 to 600 words a minute reads all; now and then the answer comes from memory of the item."""
    return (6 if rng.random() < 0.03 else 5 + 60 * 3 * WORDS / rng.uniform(450, 600)), counts()


def marks(people: dict[str, Callable[[random.Random], Response]], each: int) -> dict[str, list[str]]:
    rng, own = random.Random(11), OwnAnswers()
    for name, respond in people.items():
        for question in range(each):
            seconds, found = respond(rng)
            own.add(question, name, wrong=None, seconds=seconds, words=WORDS, counts=found)
    content = own.as_json(0)
    return {row["worker"]: row["marks"] for row in content["workers"] if row["marks"]}


def test_on_an_invented_log_few_honest_people_are_marked_and_most_who_paste() -> None:
    kinds = {"honest": (500, honest), "pasting": (100, pasting), "slow": (50, slow), "listening": (50, listening)}
    people = {f"{name} {k}": respond for name, (number, respond) in kinds.items() for k in range(number)}
    found = marks(people, 12)
    by_kind = {name: sum(who.startswith(name) for who in found) for name in kinds}
    assert by_kind["honest"] <= 5
    assert by_kind["slow"] == by_kind["listening"] == 0
    assert by_kind["pasting"] >= 90
    assert {mark for who, own in found.items() if who.startswith("pasting") for mark in own} == {PASTED}


@pytest.mark.parametrize(
    ("fast", "of", "marked"), [(3, 10, True), (2, 10, False), (9, 9, False), (10, 10, True), (2, 100, False)]
)
def test_three_of_at_least_ten_responses_must_be_faster_than_reading(fast: int, of: int, marked: bool) -> None:
    own = OwnAnswers()
    for question in range(of):
        seconds = least_seconds(WORDS) + (-0.1 if question < fast else 0.1)
        own.add(question, "worker", wrong=None, seconds=seconds, words=WORDS, counts=None)
    assert [row["marks"] for row in own.as_json(0)["workers"] if row["marks"]] == ([[FAST]] if marked else [])


def test_the_floor_is_the_supporting_paragraphs_at_700_words_a_minute_and_five_seconds() -> None:
    assert least_seconds(0) == 5
    assert least_seconds(700) == 65


def test_unknown_times_and_questions_without_a_text_are_no_sign() -> None:
    own = OwnAnswers()
    for question in range(20):
        own.add(question, "imported", wrong=None, seconds=0, words=WORDS, counts=None)
        own.add(question, "closed-book", wrong=None, seconds=1, words=None, counts=None)
    assert own.as_json(0)["workers"] == []


def test_a_model_that_was_shown_less_is_named_with_what_it_saw() -> None:
    own = OwnAnswers()
    for question in range(16):
        own.add(question, "worker", wrong="a mill", seconds=0, words=None, counts=None)
        own.add(question, "other", wrong=f"{question}", seconds=0, words=None, counts=None)
        own.add_prediction(question, "closed_book/reader", "a mill")
    tests, workers = own_answer_tables({"own_answers": own.as_json(0), "datasets": {}})
    assert [cell_text(row[0]) for row in tests["rows"]] == ["reader, closed-book", "another worker"]
    assert [cell_text(cell) for cell in workers["rows"][0][:5]] == [
        "worker",
        "same errors",
        "16",
        "reader, closed-book",
        "16/16",
    ]


def test_nothing_is_shown_of_a_report_without_evidence() -> None:
    assert own_answer_tables({"datasets": {}}) == []


def test_counts_are_read_as_they_are_written_and_added_up() -> None:
    assert read_counts('{"pasted": 1, "entered": 2, "away": 3, "away_seconds": 4}') == dict(
        zip(NAMES, (1, 2, 3, 4), strict=True)
    )
    assert total([]) == dict.fromkeys(NAMES, 0)
    assert total([counts(1, 2), counts(3, 4, 1)]) == {"pasted": 4, "entered": 6, "away": 1, "away_seconds": 30}
