"""`disconnection-inputs`: the questions for models in the disconnection filter (S3 of MuSiQue's pipeline)."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.derivations import base
from annotation.derivations.base import Derivation, DerivationGroup, Derived, Source, Tally
from annotation.derivations.pooling import pool_of, pool_option
from annotation.pure.derivations import disconnection
from annotation.pure.derivations.context_building import NoContext
from annotation.pure.derivations.disconnection import HEAD, TAIL, Item
from annotation.pure.setting_fields import Flaw, setting
from annotation.pure.text.masking import MASK
from annotation.pure.text.translation_marks import gettext_noop


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


DERIVATION = DisconnectionInputs()
