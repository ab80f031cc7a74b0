"""Permutation tests of whether workers gave the same wrong answers as a model, or as each other.

Under the null hypothesis, a worker's wrong answer to a question is exchangeable with the wrong answers that others gave
to it: within each question, wrong answers are dealt out anew among those who were wrong. So a popular wrong answer is
no evidence, and neither is a question on which a single worker was wrong.

Of one worker or of two workers, the number of same wrong answers is then a sum of independent draws, one a question, so
its p value is exact. Of the whole batch that number never changes; what changes is whether the same worker gives such
answers again and again. The batch's statistic is therefore the number of repeats: pairs of questions on which the same
worker (or the same two) gave the same wrong answer. A worker's closest other has Bonferroni's correction for the number
of others, and all tests of workers share Benjamini and Hochberg's. All p values are one-sided.

Comparing wrong answers only, because right ones say nothing of their source, follows studies of copying in examinations
(Wesolowsky 2000, "Detecting excessive similarity in answers on multiple choice exams").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.statistics.significance import PERMUTATIONS, benjamini_hochberg

LEAST_ERRORS = 15  # of a worker who is tested
LEAST_SHARED = 5  # questions on which two workers were wrong, for a comparison of the two
FEWEST = 999  # permutations, of a large batch
_WORK = 40_000_000  # values handled over all permutations: bounds the time
_CELLS = 1_000_000  # values held at once: bounds the memory
_SPAN = 250_000  # numbers of two workers that are counted in a table of all, and not by sorting

if TYPE_CHECKING:
    Booleans = np.ndarray[Any, np.dtype[np.bool_]]
else:
    Booleans = Any


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A worker's wrong answer to a question, in the form in which two answers count as the same."""

    question: Hashable
    worker: str
    answer: str


@dataclass(frozen=True, slots=True)
class BatchTest:
    """`same` of `n` wrong answers are the same as the model's, or of `n` pairs of wrong answers (`model` "").

    `repeats` and `expected` are numbers of pairs of questions. `p` is None where nothing can be dealt out anew.
    """

    model: str
    n: int
    same: int
    repeats: int
    expected: float
    p: float | None


@dataclass(frozen=True, slots=True)
class WorkerTest:
    """A worker with `errors` wrong answers: `same` of `n` were the same as those of a model, or of the closest worker.

    `n` counts the questions on which both were wrong; `adjusted` is over all tests of the batch.
    """

    worker: str
    errors: int
    model: str  # "" for a test against another worker
    other: str  # that worker, "" for a model
    n: int
    same: int
    expected: float
    p: float
    adjusted: float = 1.0


@dataclass(frozen=True, slots=True)
class SameErrors:
    batch: tuple[BatchTest, ...]
    workers: tuple[WorkerTest, ...]


def same_errors(errors: Sequence[WrongAnswer], models: Mapping[str, Mapping[Hashable, str]], seed: int) -> SameErrors:
    """Tests of a batch's wrong answers, at most one of a worker a question, against wrong answers of each model.

    `models`: {name: {question: wrong answer}}.
    """
    table = _Table(errors)
    compared = [table.against(name, wrong) for name, wrong in models.items()] if errors else []
    pairs = table.pairs()
    tests = [test for each in compared for test in _workers_against(table, each)] + _closest(table, pairs)
    adjusted = benjamini_hochberg([test.p for test in tests])
    workers = (replace(test, adjusted=p) for test, p in zip(tests, adjusted, strict=True))
    return SameErrors(tuple(_batch_tests(table, compared, pairs, seed)), tuple(workers))


@dataclass(frozen=True, slots=True)
class _Compared:
    """For each error: whether the model was wrong there too, whether by the same answer, and the chance of that."""

    model: str
    both: Booleans
    same: Booleans
    chance: Floats


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of errors on one question: the places of both, a number for the two workers, and the chance."""

    first: Integers
    second: Integers
    codes: Integers
    same: Booleans
    chance: Floats


class _Table:
    """The errors as arrays, in order of their questions. Names have no effect: workers are numbered as they come."""

    def __init__(self, errors: Sequence[WrongAnswer]) -> None:
        self.questions: dict[Hashable, int] = {}
        self.answers: dict[tuple[int, str], int] = {}
        names: dict[str, int] = {}
        rows = [(_number(self.questions, e.question), _number(names, e.worker), e.answer) for e in errors]
        rows.sort(key=lambda row: row[0])
        self.names = list(names)
        self.question = _whole(row[0] for row in rows)
        self.worker = _whole(row[1] for row in rows)
        self.answer = _whole(_number(self.answers, (row[0], row[2])) for row in rows)
        self.errors = np.bincount(self.worker, minlength=len(names))
        self.sizes = np.bincount(self.question, minlength=len(self.questions))
        self.starts = np.cumsum(self.sizes) - self.sizes

    def against(self, model: str, wrong: Mapping[Hashable, str]) -> _Compared:
        """The errors beside the model's wrong answers."""
        answers = [self._answer_of(wrong, question, number) for question, number in self.questions.items()]
        own = _whole(answers)[self.question]
        same = self.answer == own
        chance = np.bincount(self.question, weights=same, minlength=len(self.sizes)) / self.sizes
        return _Compared(model, own > -2, same, chance[self.question])

    def _answer_of(self, wrong: Mapping[Hashable, str], question: Hashable, number: int) -> int:
        """-2: the model is not wrong there, -1: by an answer that no worker gave."""
        return self.answers.get((number, wrong[question]), -1) if question in wrong else -2

    def places(self, size: int) -> Integers:
        """The places of the errors on questions of `size` errors, a row a question."""
        places: Integers = self.starts[self.sizes == size][:, None] + np.arange(size)
        return places

    def pairs(self) -> _Pairs:
        """Every pair of errors on one question."""
        first, second, chance = [_whole(())], [_whole(())], [np.zeros(0)]
        for size in sorted(set(self.sizes.tolist()) - {1}):
            places, (one, other) = self.places(size), np.triu_indices(size, 1)
            same = self.answer[places[:, one]] == self.answer[places[:, other]]
            first.append(places[:, one].ravel())
            second.append(places[:, other].ravel())
            chance.append(np.repeat(same.mean(axis=1), len(one)))
        left, right = np.concatenate(first), np.concatenate(second)
        codes = self.codes(self.worker[left], self.worker[right])
        return _Pairs(left, right, codes, self.answer[left] == self.answer[right], np.concatenate(chance))

    def codes(self, one: Integers, other: Integers) -> Integers:
        """A number for each two workers, in either order."""
        return np.minimum(one, other) * len(self.names) + np.maximum(one, other)


def _number(known: dict[Any, int], key: Any) -> int:
    return known.setdefault(key, len(known))


def _whole(numbers: Iterable[int]) -> Integers:
    return np.array(list(numbers), dtype=np.int64)


def _is_free(chance: Floats) -> Booleans:
    """Where dealing out anew may change whether two answers are the same."""
    return (chance > 0) & (chance < 1)


def _workers_against(table: _Table, compared: _Compared) -> list[WorkerTest]:
    """The tests of workers with enough errors against a model."""
    enough = compared.both & (table.errors[table.worker] >= LEAST_ERRORS)
    sums = _sums(table.worker[enough], compared.same[enough], compared.chance[enough], least=1)
    return [
        WorkerTest(table.names[who], int(table.errors[who]), compared.model, "", *row[:3], p=row[3])
        for who, row in sums.items()
    ]


def _closest(table: _Table, pairs: _Pairs) -> list[WorkerTest]:
    """The test of each worker with enough errors against the worker whose answers are the least by chance."""
    count = len(table.names)
    enough = table.errors >= LEAST_ERRORS
    tried = enough[pairs.codes // count] | enough[pairs.codes % count] if count else pairs.same
    sums = _sums(pairs.codes[tried], pairs.same[tried], pairs.chance[tried], least=LEAST_SHARED)
    others: defaultdict[int, list[tuple[float, int, tuple[int, int, float, float]]]] = defaultdict(list)
    for code, row in sums.items():
        one, other = divmod(code, count)
        for who, beside in ((one, other), (other, one)):
            if enough[who]:
                others[who].append((row[3], beside, row))
    tests = []
    for who, found in sorted(others.items()):
        least, beside, row = min(found, key=lambda each: each[0])
        p = min(1.0, least * len(found))
        tests.append(WorkerTest(table.names[who], int(table.errors[who]), "", table.names[beside], *row[:3], p=p))
    return tests


def _sums(owners: Integers, same: Booleans, chance: Floats, *, least: int) -> dict[int, tuple[int, int, float, float]]:
    """{owner: (n, same, expected, p)} of those with at least so many comparisons that chance has a part in."""
    known, owner = np.unique(owners, return_inverse=True)
    n, hits = np.bincount(owner), np.bincount(owner, weights=same)
    expected, free = np.bincount(owner, weights=chance), np.bincount(owner, weights=_is_free(chance))
    kept = free >= least
    chosen = kept[owner]
    p = _tails((np.cumsum(kept) - 1)[owner[chosen]], chance[chosen], np.asarray(hits[kept], dtype=np.float64))
    rows = zip(n[kept].tolist(), hits[kept].tolist(), expected[kept].tolist(), p.tolist(), strict=True)
    return {who: (a, int(b), c, d) for who, (a, b, c, d) in zip(known[kept].tolist(), rows, strict=True)}


def _tails(owner: Integers, chance: Floats, reached: Floats) -> Floats:
    """For each owner the probability that at least `reached` of its events happen, each with its own chance."""
    order = np.argsort(owner, kind="stable")
    numbers = np.bincount(owner, minlength=len(reached))
    found = np.ones(len(reached))
    longest = int(numbers.max()) if len(reached) else 0
    if not longest:
        return found
    column = np.arange(len(owner)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    chances = np.zeros((len(reached), longest))
    chances[owner[order], column] = chance[order]
    step = max(1, _CELLS // longest)
    for start in range(0, len(reached), step):
        part = slice(start, start + step)
        found[part] = _tail(chances[part], reached[part])
    return found


def _tail(chances: Floats, reached: Floats) -> Floats:
    """The same with the events of each owner in a row, by the distribution of their number after each event."""
    held = np.zeros((len(chances), chances.shape[1] + 1))
    held[:, 0] = 1.0
    for k in range(chances.shape[1]):
        moved = held[:, : k + 1] * chances[:, k : k + 1]
        held[:, : k + 1] -= moved
        held[:, 1 : k + 2] += moved
    counted = np.arange(held.shape[1]) >= reached[:, None]
    tail: Floats = np.clip((held * counted).sum(axis=1), 0.0, 1.0)
    return tail


def _batch_tests(table: _Table, compared: Sequence[_Compared], pairs: _Pairs, seed: int) -> Iterator[BatchTest]:
    """One test for each model and one for all pairs of workers, by the same permutations."""
    keys: list[_Keys] = [_ByWorker(table, each) for each in compared]
    keys.append(_ByPair(table, pairs))
    seen = [int(_repeats(key.of(table.worker[None]), key.span)[0]) for key in keys]
    reached, runs = _reached(table, keys, seen, seed)
    for each, key, repeats, times in zip([*compared, None], keys, seen, reached, strict=True):
        both = pairs.same if each is None else each.same[each.both]
        p = (times + 1) / (runs + 1) if key.expected else None
        yield BatchTest(each.model if each else "", len(both), int(both.sum()), repeats, key.expected, p)


class _Keys:
    """The same wrong answers of one comparison, keyed by who gave them; equal keys are repeats."""

    span: int  # keys are below it
    size: int
    expected: float  # number of repeats

    def of(self, workers: Integers) -> Integers:
        """The keys, a row for each row of workers in the places of the errors."""
        raise NotImplementedError


class _ByWorker(_Keys):
    def __init__(self, table: _Table, compared: _Compared) -> None:
        free = compared.both & _is_free(compared.chance)
        self.places = np.flatnonzero(free & compared.same)
        self.span, self.size = len(table.names), len(self.places)
        self.expected = _expected(table.worker[free], compared.chance[free])

    def of(self, workers: Integers) -> Integers:
        return workers[:, self.places]


class _ByPair(_Keys):
    def __init__(self, table: _Table, pairs: _Pairs) -> None:
        self.table, free = table, _is_free(pairs.chance)
        self.first, self.second = pairs.first[free & pairs.same], pairs.second[free & pairs.same]
        self.span, self.size = len(table.names) ** 2, len(self.first)
        self.expected = _expected(pairs.codes[free], pairs.chance[free])

    def of(self, workers: Integers) -> Integers:
        return self.table.codes(workers[:, self.first], workers[:, self.second])


def _expected(owners: Integers, chance: Floats) -> float:
    """The expected number of repeats: over each owner's pairs of questions, the products of both chances."""
    _known, owner = np.unique(owners, return_inverse=True)
    sums, squares = np.bincount(owner, weights=chance), np.bincount(owner, weights=chance**2)
    return float(np.sum(sums**2 - squares)) / 2


def _repeats(keys: Integers, span: int) -> Integers:
    """In each row the number of pairs of equal keys."""
    rows, size = keys.shape
    if span <= _SPAN:
        shifted = (keys + span * np.arange(rows)[:, None]).ravel()
        counts = np.bincount(shifted, minlength=rows * span).reshape(rows, span)
        found: Integers = (counts * (counts - 1)).sum(axis=1) // 2
        return found
    ordered, place = np.sort(keys, axis=1), np.arange(size)
    begins = np.ones((rows, size), dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    runs: Integers = (place - np.maximum.accumulate(np.where(begins, place, 0), axis=1)).sum(axis=1)
    return runs


def _reached(table: _Table, keys: Sequence[_Keys], seen: Sequence[int], seed: int) -> tuple[list[int], int]:
    """How many permutations have at least as many repeats as were seen, for each comparison; of how many."""
    reached = [0] * len(keys)
    free = [k for k, key in enumerate(keys) if key.expected]
    if not free:
        return reached, PERMUTATIONS
    widths = [len(table.worker), *(max(keys[k].size, keys[k].span * (keys[k].span <= _SPAN)) for k in free)]
    runs = min(PERMUTATIONS, max(FEWEST, _WORK // sum(widths)))
    rng, rows = np.random.default_rng(seed), max(1, _CELLS // max(widths))
    groups = [table.places(size) for size in sorted(set(table.sizes.tolist()) - {1})]
    for start in range(0, runs, rows):
        workers = np.tile(table.worker, (min(rows, runs - start), 1))
        for places in groups:
            workers[:, places] = rng.permuted(workers[:, places], axis=-1)
        for k in free:
            reached[k] += int(np.count_nonzero(_repeats(keys[k].of(workers), keys[k].span) >= seen[k]))
    return reached, runs
