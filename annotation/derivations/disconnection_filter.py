"""MuSiQue's S3. `disconnection-inputs`: the questions for models; `disconnection-filter`: keeps those that models
cannot answer by a shortcut, or audits a dataset."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.derivations import base
from annotation.derivations.base import (
    CONNECTED_PAIRS,
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Source,
    Tally,
    json_lines,
)
from annotation.derivations.contexts import pool_of, pool_option
from annotation.pure.data.example import Example
from annotation.pure.derivations import disconnection
from annotation.pure.derivations.context_building import NoContext
from annotation.pure.derivations.disconnection import (
    HEAD,
    TAIL,
    Item,
    Limits,
    Prediction,
    as_example,
    edge_items,
    keeps,
)
from annotation.pure.setting_fields import Flaw, setting
from annotation.pure.text.masking import MASK
from annotation.pure.text.translation_marks import gettext_noop
from annotation.pure.text.whole_numbers import whole_number


def paragraphs_option(**about: Any) -> Any:
    text = gettext_noop("The tail's own paragraph and the distractors together. A head has no context.")
    return setting(
        disconnection.SIZE, label=gettext_noop("Paragraphs per tail"), help=text, least=1, most=1000, **about
    )


def mask_option(**about: Any) -> Any:
    text = gettext_noop("Replaces the head's answer in the tail's question.")
    return setting(MASK, label=gettext_noop("Mask"), help=text, length=200, check=_mask_flaws, **about)


def _mask_flaws(mask: str) -> Iterator[Flaw]:
    if not re.search(r"\w", mask):
        yield Flaw(
            gettext_noop("It has no letter, so nobody sees what is masked. Give one such as %(mask)s."), {"mask": MASK}
        )


@dataclass(frozen=True)
class InputOptions:
    """`pool`: datasets to retrieve the distractors of tails from, commas between; none: the source."""

    pool: str = pool_option()
    paragraphs: int = paragraphs_option()
    folds: int = setting(
        disconnection.FOLDS,
        label=gettext_noop("Folds"),
        help=gettext_noop("A model predicts each fold after training on the others."),
        least=2,
        most=100,
    )
    mask: str = mask_option()


class MaskedDerivation(Derivation):
    """A derivation that masks the answers of heads in the questions of tails."""

    source_problem = staticmethod(base.needs_hops)


class DisconnectionInputs(MaskedDerivation):
    how: str = "disconnection-inputs"
    title: str = gettext_noop("Inputs for the disconnection filter")
    does: str = gettext_noop(
        "Writes the inputs for the models: each head without a context, and each tail with the head's answer masked."
    )
    suffix: str = "inputs"
    Options: type = InputOptions
    group: DerivationGroup = base.CONNECTED_PAIRS
    rank: int = 3

    def derive(self, source: Source, options: InputOptions, *, seed: int, tally: Tally) -> Derived:
        """Each head once and then each tail once, with its fold; the seed decides the folds only."""
        pool = pool_of(source, options.pool, tally=tally)
        items = items_of(source, mask=options.mask, tally=tally)
        fold_of = disconnection.folds(items, options.folds, rng=random.Random(seed))
        tally.kept = tally.read - tally.dropped.total()
        tally.figures |= {"heads": _sizes(items, fold_of, HEAD), "tails": _sizes(items, fold_of, TAIL)}
        for item in items:
            yield (
                "",
                disconnection.as_example(item, pool, fold=fold_of[item.id], size=options.paragraphs, mask=options.mask),
            )


def items_of(source: Source, *, mask: str, tally: Tally) -> list[Item]:
    """The heads and then the tails of a dataset, each once; examples without edges are dropped in the tally."""
    by_kind: dict[str, dict[str, Item]] = {HEAD: {}, TAIL: {}}
    for example in source.examples():
        tally.read += 1
        try:
            for pair in disconnection.edge_items(example, mask=mask):
                for item in pair:
                    by_kind[item.kind].setdefault(item.id, item)
        except NoContext as reason:
            tally.drop(str(reason))
    return [*by_kind[HEAD].values(), *by_kind[TAIL].values()]


def _sizes(items: list[Item], fold_of: dict[str, int], kind: str) -> dict[str, object]:
    of_kind = [item for item in items if item.kind == kind]
    sizes = Counter(fold_of[item.id] for item in of_kind)
    return {
        "items": len(of_kind),
        "by fold": {str(fold): size for fold, size in sorted(sizes.items())},
        "whose answer is in another fold": disconnection.shared_answers(of_kind, fold_of)[kind],
    }


# Per cent of heads and tails that the paper kept: of its candidates (S3), and of its final validation set.
PAPER = {HEAD: {"pairs": 74.5, "validation set": 87.7}, TAIL: {"pairs": 26.5, "validation set": 79.0}}
NAMED = 5  # ids in a message

_LIMITS = gettext_noop("Thresholds for a poor answer (defaults from the paper)")
_AGAIN = gettext_noop("How the inputs were made, if no dataset of inputs is given")


def _limit(default: float, label: str) -> Any:
    return setting(default, label=label, least=0, most=1, group=_LIMITS)


@dataclass(frozen=True)
class FilterOptions:
    """`predictions`: path of the JSONL; `inputs`: the dataset that the models were given.

    Without `inputs` they are computed again from the source; then `pool`, `paragraphs` and `mask` must equal
    those of disconnection-inputs. The other four fields are the thresholds (`Limits`).
    """

    predictions: str = setting(
        "",
        label=gettext_noop("Predictions"),
        help=gettext_noop(
            'A JSONL file with {"id", "seed", "predicted_answer", "predicted_support_idxs"} on each line: '
            "one line for each head and each tail with every seed."
        ),
        kind="upload",
        required=True,
    )
    inputs: str = setting(
        "",
        label=gettext_noop("Inputs given to the models"),
        help=gettext_noop("The dataset of inputs that was derived from this dataset for the filter."),
        kind="dataset",
    )
    pool: str = pool_option(group=_AGAIN)
    paragraphs: int = paragraphs_option(group=_AGAIN)
    mask: str = mask_option(group=_AGAIN)
    head_answer: float = _limit(Limits.head_answer, gettext_noop("Keep a head below this answer F1"))
    tail_answer: float = _limit(Limits.tail_answer, gettext_noop("Keep a tail up to this answer F1"))
    tail_answer_unsupported: float = _limit(
        Limits.tail_answer_unsupported, gettext_noop("… or up to this answer F1 if its support is not found:")
    )
    tail_support: float = _limit(Limits.tail_support, gettext_noop("support F1 below this value"))

    @property
    def limits(self) -> Limits:
        return Limits(self.head_answer, self.tail_answer, self.tail_answer_unsupported, self.tail_support)


class DisconnectionFilter(MaskedDerivation):
    how: str = "disconnection-filter"
    title: str = gettext_noop("Disconnection filter")
    does: str = gettext_noop(
        "Keeps the questions whose heads and tails models cannot answer by a shortcut. It can also audit a "
        "finished dataset."
    )
    suffix: str = "connected"
    Options: type = FilterOptions
    group: DerivationGroup = CONNECTED_PAIRS
    rank: int = 4

    def derive(self, source: Source, options: FilterOptions, *, seed: int, tally: Tally) -> Derived:
        """The examples all of whose edges stay: head and tail are answered badly enough."""
        predictions = predictions_at(options.predictions)
        items = _items_to_answer(source, options, tally=tally)
        _check_complete(items, predictions)
        stays = {item.id: keeps(item, predictions.of(item), options.limits) for item in items}
        _report(items, stays, predictions, tally)
        for example in source.examples():
            if reason := _reason(example, stays, options.mask):
                tally.drop(reason)
            else:
                tally.kept += 1
                yield "", example


def _items_to_answer(source: Source, options: FilterOptions, *, tally: Tally) -> list[Example]:
    """The items of the source as the models saw them."""
    counted = Tally()
    needed = items_of(source, mask=options.mask, tally=counted)
    tally.read = counted.read
    if not options.inputs:
        pool = pool_of(source, options.pool, tally=tally)
        return [as_example(item, pool, fold=0, size=options.paragraphs, mask=options.mask) for item in needed]
    given = {item.id: item for item in source.other(options.inputs).examples()}
    if missing := [item.id for item in needed if item.id not in given]:
        raise CannotDerive(
            f"{len(missing)} of {len(needed)} heads and tails are not in {options.inputs}: {_named(missing)}; "
            "name the dataset that disconnection-inputs made of this one"
        )
    return [given[item.id] for item in needed]


def _check_complete(items: Iterable[Example], predictions: PredictionsOfItems) -> None:
    ids = [item.id for item in items]
    if missing := [each for each in ids if predictions.lacks(each)]:
        seeds = "each of the seeds " + ", ".join(predictions.seeds) if predictions.seeds else "some seed"
        raise CannotDerive(
            f"predictions are missing for {len(missing)} of {len(ids)} heads and tails: {_named(missing)}; "
            f"give one with {seeds}"
        )


def _named(ids: list[str]) -> str:
    more = len(ids) - NAMED
    return ", ".join(ids[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _report(items: list[Example], stays: Mapping[str, bool], predictions: PredictionsOfItems, tally: Tally) -> None:
    read, kept = Counter(item.shape for item in items), Counter(item.shape for item in items if stays[item.id])
    for kind, name in ((HEAD, "heads"), (TAIL, "tails")):
        share = round(100 * kept[kind] / read[kind], 1) if read[kind] else None
        shares = {"items": read[kind], "kept": kept[kind], "kept in %": share}
        tally.figures[name] = shares | {f"the paper's {of} in %": value for of, value in PAPER[kind].items()}
    tally.figures["seeds"] = list(predictions.seeds)
    tally.figures["predictions of other ids"] = predictions.unused({item.id for item in items})


def _reason(example: Example, stays: Mapping[str, bool], mask: str) -> str:
    """The reason why an example is dropped, or ""."""
    try:
        pairs = list(edge_items(example, mask=mask))
    except NoContext as reason:
        return str(reason)
    if not all(stays[tail.id] for _, tail in pairs):
        return "a tail can be answered without the answer of its head"
    return "" if all(stays[head.id] for head, _ in pairs) else "a head can be answered without context"


DERIVATION = DisconnectionInputs(), DisconnectionFilter()


_FORM = '{"id", "seed", "predicted_answer", "predicted_support_idxs"}'


class PredictionsOfItems:
    """Predictions by item and seed. Every item must have one with every seed of the file."""

    def __init__(self, predictions: Mapping[str, Mapping[str, Prediction]]) -> None:
        self._by_item = predictions
        self.seeds = tuple(sorted({seed for by_seed in predictions.values() for seed in by_seed}))

    def lacks(self, item_id: str) -> bool:
        return len(self._by_item.get(item_id, {})) < max(1, len(self.seeds))

    def of(self, item: Example) -> list[Prediction]:
        """An item's predictions by seed. Raises CannotDerive for a support outside the item's context."""
        them = [self._by_item[item.id][seed] for seed in self.seeds]
        for place in set().union(*(each.support for each in them)):
            if not 0 <= place < len(item.paragraphs):
                known = f"0 to {len(item.paragraphs) - 1}" if item.paragraphs else "none, as it has no context"
                raise CannotDerive(f"a prediction for {item.id} names the paragraph {place}; there are {known}")
        return them

    def unused(self, ids: Collection[str]) -> int:
        """The number of ids in the file that are not in `ids`."""
        return sum(item_id not in ids for item_id in self._by_item)


def predictions_at(path: str) -> PredictionsOfItems:
    """The predictions of a JSONL file. Raises CannotDerive with the invalid line's number."""
    predictions: dict[str, dict[str, Prediction]] = {}
    for place, record in json_lines(path, what="the predictions", form=_FORM):
        if not isinstance(record, dict):
            raise CannotDerive(f"{place} is no object; give {_FORM}")
        _add(record, place, predictions)
    return PredictionsOfItems(predictions)


def _add(record: Mapping[str, Any], place: str, predictions: dict[str, dict[str, Prediction]]) -> None:
    item_id, seed, answer = (record.get(key) for key in ("id", "seed", "predicted_answer"))
    support = record.get("predicted_support_idxs") or []
    seed = seed if isinstance(seed, str) else whole_number(seed)
    right = isinstance(item_id, str) and isinstance(answer, str) and seed is not None
    positions = [whole_number(position) for position in support] if isinstance(support, list) else [None]
    if not right or None in positions:
        raise CannotDerive(f"{place} does not have the form {_FORM}")
    by_seed = predictions.setdefault(str(item_id), {})
    if str(seed) in by_seed:
        raise CannotDerive(f"{place} answers {item_id} with the seed {seed} once more")
    by_seed[str(seed)] = Prediction(str(answer), frozenset(each for each in positions if each is not None))
