"""A difference that is none: the same responses in two halves of the people, one half less the other."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.worker_intervals import Unit

SPLITS = 200


def split_units(questions: Sequence[Mapping[str, Sequence[float]]], seed: int) -> list[list[Unit]]:
    """For each figure the units of the mean over seeded halves of the workers: first half less second half.

    `questions`: each worker's figures on the question, equally many. A question's value is the mean over the splits in
    which both halves have responses to it, None if there is none.
    """
    place = {worker: k for k, worker in enumerate(_in_order(questions))}
    half = np.arange(len(place)) < len(place) // 2
    first = np.random.default_rng(seed).permuted(np.tile(half, (SPLITS, 1)), axis=1)
    rows = []
    for by_worker in filter(None, questions):
        own = sorted(by_worker, key=place.__getitem__)
        rows.append(list(_units({worker: by_worker[worker] for worker in own}, first[:, [place[w] for w in own]])))
    return [list(column) for column in zip(*rows, strict=True)]


def _in_order(questions: Sequence[Mapping[str, Sequence[float]]]) -> list[str]:
    """The workers by what they said: their names differ between projects, and a replay has the same halves."""
    told: defaultdict[str, list[tuple[int, Sequence[float]]]] = defaultdict(list)
    for number, by_worker in enumerate(questions):
        for worker, marks in by_worker.items():
            told[worker].append((number, marks))
    return sorted(told, key=told.__getitem__)


def _units(by_worker: Mapping[str, Sequence[float]], first: Floats) -> Iterator[Unit]:
    marks = np.array(list(by_worker.values()), dtype=np.float64)
    whole = _mean(marks, first)
    without = [_mean(np.delete(marks, k, 0), np.delete(first, k, 1)) for k in range(len(marks))]
    for figure in range(marks.shape[1]):
        rest = (None if mean is None else float(mean[figure]) for mean in without)
        yield Unit(None if whole is None else float(whole[figure]), dict(zip(by_worker, rest, strict=True)))


def _mean(marks: Floats, first: Floats) -> Floats | None:
    """The mean over splits of the first half's mean less the second's, figure by figure."""
    size = first.sum(axis=1)
    both = (size > 0) & (size < len(marks))
    if not both.any():
        return None
    own, size = first[both], size[both, None]
    difference: Floats = (own @ marks / size - ~own @ marks / (len(marks) - size)).mean(axis=0)
    return difference
