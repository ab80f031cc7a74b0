"""Label aggregation by estimated worker reliability (one-coin, Dawid-Skene).

One-coin: each worker is right with one chance and errs evenly. Dawid-Skene (1979): each worker has a full
table of errors, which takes some 50 labels per worker and class to estimate. Both by expectation
maximisation from the vote shares; the objective that `trace` holds never falls.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.pure.numeric import Floats, Integers, np

SMOOTHING = 0.01  # pseudo-count for every cell of a worker's table
TOLERANCE = 1e-8  # stop when a step gains less than this per vote
MAX_STEPS = 1000


class Vote(NamedTuple):
    """A worker's label for an item; a worker may label an item more than once."""

    item: str
    worker: str
    label: str


@dataclass(frozen=True)
class LabelModel:
    """A fitted label model. Rows and columns follow `items`, `workers` and `labels`.

    `posterior`: (items × labels) chance of each true label. `shares`: of each true label. `errors`:
    (workers × true × given). `trace`: the objective after each step.
    """

    name: str
    items: list[str]
    workers: list[str]
    labels: list[str]
    posterior: Floats
    shares: Floats
    errors: Floats
    trace: list[float]

    def aggregates(self) -> dict[str, str | None]:
        """The most likely label of each item; None for a tie."""
        best = self.posterior.max(axis=1, keepdims=True)
        tied = (self.posterior > best - 1e-9).sum(axis=1)
        places = self.posterior.argmax(axis=1)
        return {
            item: self.labels[place] if one == 1 else None
            for item, place, one in zip(self.items, places, tied, strict=True)
        }

    def accuracies(self) -> dict[str, float]:
        """Each worker's chance of being right, over the estimated shares of the true labels."""
        right = np.einsum("wtt,t->w", self.errors, self.shares)
        return dict(zip(self.workers, right.tolist(), strict=True))


def dawid_skene(votes: Iterable[Vote], *, smoothing: float = SMOOTHING) -> LabelModel:
    """A table of errors for each worker. ValueError without votes."""
    return _fitted("dawid-skene/1", votes, tables=_confusions, smoothing=smoothing)


def one_coin(votes: Iterable[Vote], *, smoothing: float = SMOOTHING) -> LabelModel:
    """One accuracy for each worker. ValueError without votes."""
    return _fitted("one-coin/1", votes, tables=_coins, smoothing=smoothing)


@dataclass(frozen=True)
class _Votes:
    """Votes as positions in the lists of items, workers and labels."""

    item: Integers
    worker: Integers
    label: Integers
    sizes: tuple[int, int, int]


_Tables = Callable[[_Votes, Floats, float], tuple[Floats, float]]


def _fitted(name: str, votes: Iterable[Vote], *, tables: _Tables, smoothing: float) -> LabelModel:
    columns = list(zip(*votes, strict=True))
    if not columns:
        raise ValueError("there are no votes to bring together")
    (items, item), (workers, worker), (labels, label) = (_coded(column) for column in columns)
    seen = _Votes(item, worker, label, (len(items), len(workers), len(labels)))
    posterior = _vote_shares(seen)
    trace: list[float] = []
    while len(trace) < MAX_STEPS:
        shares = posterior.mean(axis=0)
        errors, penalty = tables(seen, posterior, smoothing)
        posterior, likelihood = _expected(seen, shares, errors)
        trace.append(likelihood + penalty)
        if len(trace) > 1 and trace[-1] - trace[-2] < TOLERANCE * len(seen.item):
            break
    return LabelModel(name, items, workers, labels, posterior, shares, errors, trace)


def _coded(column: Sequence[str]) -> tuple[list[str], Integers]:
    """The distinct values in an order of their own, and each value's position."""
    names = sorted(set(column), key=repr)
    place = {name: k for k, name in enumerate(names)}
    return names, np.fromiter((place[value] for value in column), dtype=np.int64, count=len(column))


def _vote_shares(votes: _Votes) -> Floats:
    """(items × labels): vote shares, from which the estimation starts."""
    n_items, _, n_labels = votes.sizes
    cells = np.bincount(votes.item * n_labels + votes.label, minlength=n_items * n_labels)
    counts: Floats = cells.reshape(n_items, n_labels).astype(np.float64)
    counts /= counts.sum(axis=1, keepdims=True)
    return counts


def _expected(votes: _Votes, shares: Floats, errors: Floats) -> tuple[Floats, float]:
    """The posterior of each item's true label and the log-likelihood of all votes."""
    n_items, _, n_labels = votes.sizes
    with np.errstate(divide="ignore"):
        evidence, prior = np.log(errors), np.log(shares)
    logs = np.empty((n_items, n_labels))
    for true in range(n_labels):
        given = evidence[votes.worker, true, votes.label]
        logs[:, true] = np.bincount(votes.item, given, minlength=n_items) + prior[true]
    peak = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - peak)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, float((np.log(total) + peak).sum())


def _confusions(votes: _Votes, posterior: Floats, smoothing: float) -> tuple[Floats, float]:
    """(tables of errors, log of their prior) that fit the posterior best."""
    _, n_workers, n_labels = votes.sizes
    cell = votes.worker * n_labels + votes.label
    counts = np.empty((n_workers, n_labels, n_labels))
    for true in range(n_labels):
        weights = posterior[votes.item, true]
        counts[:, true] = np.bincount(cell, weights, minlength=n_workers * n_labels).reshape(n_workers, -1)
    counts += smoothing
    totals = counts.sum(axis=2, keepdims=True)
    errors = np.divide(counts, totals, out=np.full_like(counts, 1 / n_labels), where=totals > 0)
    return errors, smoothing * float(np.log(errors).sum()) if smoothing else 0.0


def _coins(votes: _Votes, posterior: Floats, smoothing: float) -> tuple[Floats, float]:
    """Like `_confusions`, with one accuracy per worker and uniform errors."""
    _, n_workers, n_labels = votes.sizes
    if n_labels == 1:
        return np.ones((n_workers, 1, 1)), 0.0
    right = np.bincount(votes.worker, posterior[votes.item, votes.label], minlength=n_workers) + smoothing
    wrong = np.bincount(votes.worker, minlength=n_workers) + 2 * smoothing - right
    accuracy = right / (right + wrong)
    errors = np.repeat((1 - accuracy) / (n_labels - 1), n_labels * n_labels).reshape(n_workers, n_labels, -1)
    errors[:, np.arange(n_labels), np.arange(n_labels)] = accuracy[:, None]
    penalty = smoothing * float((np.log(accuracy) + np.log1p(-accuracy)).sum()) if smoothing else 0.0
    return errors, penalty
