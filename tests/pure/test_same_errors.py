"""Same wrong answers are found where somebody copied, and not where a wrong answer is merely popular."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping

import pytest

from annotation.pure.statistics.same_errors import LEAST_ERRORS, SameErrors, WorkerTest, WrongAnswer, same_errors
from annotation.pure.statistics.significance import Q

WRONG = [f"wrong {k}" for k in range(6)]
OFTEN = [0.45, 0.2, 0.15, 0.1, 0.06, 0.04]  # the first is a popular wrong answer


def of_model(questions: int, rng: random.Random) -> dict[Hashable, str]:
    """A model's wrong answers: mostly the popular ones."""
    return {question: rng.choices(WRONG, OFTEN)[0] for question in range(questions)}


def honest(workers: int, questions: int, each: int, rng: random.Random, share: float = 0.4) -> Iterator[WrongAnswer]:
    """Wrong answers of workers who make the same popular mistakes, `each` workers a question."""
    for question in range(questions):
        for worker in rng.sample(range(workers), each):
            if rng.random() < share:
                yield WrongAnswer(question, f"honest {worker}", rng.choices(WRONG, OFTEN)[0])


def copies(name: str, source: Mapping[Hashable, str], errors: int, rng: random.Random) -> list[WrongAnswer]:
    return [WrongAnswer(question, name, source[question]) for question in rng.sample(list(source), errors)]


def marked(found: SameErrors) -> list[WorkerTest]:
    return [test for test in found.workers if test.adjusted <= Q]


@pytest.mark.soak
def test_popular_wrong_answers_mark_at_most_one_in_a_hundred_honest_workers() -> None:
    rng, workers, false = random.Random(7), set[str](), set[str]()
    for batch in range(10):
        found = same_errors(list(honest(50, 250, 12, rng)), {"a": of_model(250, rng), "b": of_model(250, rng)}, batch)
        workers |= {f"{batch} {test.worker}" for test in found.workers}
        false |= {f"{batch} {test.worker}" for test in marked(found)}
    assert len(workers) > 490
    assert len(false) <= 5


@pytest.mark.soak
def test_p_values_are_uniform_or_larger_where_nobody_copied() -> None:
    rng, of_batches, of_workers = random.Random(3), list[float](), list[float]()
    for batch in range(120):
        found = same_errors(list(honest(12, 40, 8, rng)), {"a": of_model(40, rng)}, batch)
        of_batches += [test.p for test in found.batch if test.p is not None]
        of_workers += [test.p for test in found.workers if test.model]
    for limit in (0.05, 0.1, 0.25, 0.5):
        assert abs(sum(p <= limit for p in of_batches) / len(of_batches) - limit) < 0.1
        assert sum(p <= limit for p in of_workers) / len(of_workers) < limit + 0.02
    assert 0.45 < sum(of_batches) / len(of_batches) < 0.58  # ties make it a little more than a half


@pytest.mark.soak
@pytest.mark.parametrize("of", ["a model", "another worker"])
def test_nine_in_ten_copiers_with_twenty_errors_are_found(of: str) -> None:
    rng, found, tried, false = random.Random(5), 0, 0, 0
    for batch in range(8):
        errors, model = list(honest(40, 150, 10, rng)), of_model(150, rng)
        source = model
        if of == "another worker":
            errors += (own := [WrongAnswer(q, "source", rng.choices(WRONG, OFTEN)[0]) for q in range(0, 150, 3)])
            source = {error.question: error.answer for error in own}
        names = [f"copier {k}" for k in range(4)]
        for name in names:
            errors += copies(name, source, 20, rng)
        caught = {test.worker for test in marked(same_errors(errors, {"a": model}, batch))}
        tried, found = tried + len(names), found + len(caught & set(names))
        false += sum(name.startswith("honest") for name in caught)
    assert found >= 0.9 * tried
    assert false <= 0.05 * (found + false)  # the false discovery rate


def test_many_who_copy_a_little_are_found_in_the_batch_though_none_of_them_has_enough_errors() -> None:
    rng = random.Random(2)
    errors, model = list(honest(60, 120, 6, rng)), of_model(120, rng)
    for k in range(20):
        errors += copies(f"copier {k}", model, 8, rng)
    found = same_errors(errors, {"a": model, "b": of_model(120, rng)}, 0)
    by_model = {test.model: test for test in found.batch}
    assert (by_model["a"].p or 1) < 0.01 < (by_model["b"].p or 0)
    assert by_model["a"].repeats > 1.5 * by_model["a"].expected
    assert not [test for test in found.workers if test.worker.startswith("copier")]


def test_only_workers_with_fifteen_errors_are_tested() -> None:
    rng = random.Random(1)
    errors, model = list(honest(30, 80, 8, rng)), of_model(80, rng)
    errors += copies("few", model, LEAST_ERRORS - 1, rng) + copies("enough", model, LEAST_ERRORS, rng)
    tested = {test.worker: test.errors for test in same_errors(errors, {"a": model}, 0).workers}
    assert tested["enough"] == LEAST_ERRORS
    assert "few" not in tested
    assert min(tested.values()) >= LEAST_ERRORS


def test_names_of_workers_change_nothing_but_the_names() -> None:
    rng = random.Random(4)
    errors, model = list(honest(25, 60, 9, rng)), of_model(60, rng)
    other = {name: f"z{k}" for k, name in enumerate(sorted({e.worker for e in errors}, reverse=True))}
    renamed = [WrongAnswer(e.question, other[e.worker], e.answer) for e in errors]
    plain, again = (same_errors(each, {"a": model}, 9) for each in (errors, renamed))
    assert plain.batch == again.batch
    figures = [(other[t.worker], other.get(t.other, ""), t.n, t.same, t.p, t.adjusted) for t in plain.workers]
    assert figures == [(t.worker, t.other, t.n, t.same, t.p, t.adjusted) for t in again.workers]


def test_the_exact_tail_is_the_binomial_one_where_every_chance_is_the_same() -> None:
    """Two wrong answers a question, of which one is the model's: each is a coin."""
    errors = [WrongAnswer(q, "worker", "same") for q in range(15)] + [
        WrongAnswer(q, f"other {q}", "different") for q in range(15)
    ]
    [test] = [t for t in same_errors(errors, {"a": dict.fromkeys(range(15), "same")}, 0).workers if t.model]
    assert (test.n, test.same, test.expected) == (15, 15, 7.5)
    assert test.p == pytest.approx(0.5**15)


NOBODY: dict[str, list[WrongAnswer]] = {
    "no errors": [],
    "one worker": [WrongAnswer(q, "alone", "same") for q in range(30)],
    "everybody the same": [WrongAnswer(q, f"w{k}", "same") for q in range(30) for k in range(4)],
    "one question": [WrongAnswer(0, f"w{k}", f"{k % 2}") for k in range(4)],
}


@pytest.mark.parametrize("name", NOBODY)
def test_there_is_no_p_value_where_nothing_can_be_dealt_out_anew(name: str) -> None:
    found = same_errors(NOBODY[name], {"a": dict.fromkeys(range(30), "same"), "never wrong": {}}, 0)
    assert not found.workers
    assert [test.p for test in found.batch] == [None] * len(found.batch)
    assert found.batch[-1].model == ""
