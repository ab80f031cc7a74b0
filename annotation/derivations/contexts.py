"""`contexts`: puts every composed question among distractors (S6 of MuSiQue's pipeline).

Derivations that retrieve distractors have their options and pools from here.
"""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.derivations.base import (
    CONTEXTS,
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Source,
    Tally,
    needs_hops,
)
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.context_building import SIZE, NoContext, distracting, states_answer, with_context
from annotation.pure.setting_fields import Flaw, InvalidValues, setting
from annotation.pure.text.bm25 import Pool, same_text
from annotation.pure.text.translation_marks import gettext_noop

_POOL = gettext_noop("Distractor pool")


def _words(label: str) -> Any:
    return setting(0, label=label, help=gettext_noop("0 means no limit."), least=0, most=1_000_000, group=_POOL)


def check_limits(name: str, fewest: int, most: int) -> None:
    """Raises InvalidValues for the option with the most words of a paragraph if it is below the fewest, unless 0."""
    if 0 < most < fewest:
        text = gettext_noop(
            "No paragraph has %(fewest)s words or more and %(most)s or fewer. Give more, or 0 for no limit."
        )
        raise InvalidValues({name: [Flaw(text, {"fewest": fewest, "most": most})]})


def pool_option(**about: Any) -> Any:
    return setting(
        "",
        label=gettext_noop("Datasets for the pool"),
        help=gettext_noop(
            "Their supporting paragraphs form the pool, usually those of the single-hop questions. Leave "
            "empty to use this dataset itself."
        ),
        kind="datasets",
        **about,
    )


@dataclass(frozen=True)
class PoolOptions:
    """`pool`: datasets to retrieve from, separated by commas (default: the source). `whole`: all their paragraphs.

    `shortest` and `longest`: words of a paragraph of the pool, 0 for no limit. `other_splits`: whether a paragraph that
    supports a question of another split may be a distractor.
    """

    pool: str = pool_option()
    whole: bool = setting(
        False, label=gettext_noop("Use all paragraphs of these datasets, not only the supporting ones"), group=_POOL
    )
    shortest: int = _words(gettext_noop("Minimum words per distractor"))
    longest: int = _words(gettext_noop("Maximum words per distractor"))
    other_splits: bool = setting(
        False,
        label=gettext_noop("Allow supporting paragraphs of other splits"),
        help=gettext_noop("If this is off, no context contains a supporting paragraph of another split."),
        group=_POOL,
    )

    def __post_init__(self) -> None:
        check_limits("longest", self.shortest, self.longest)


class PoolDerivation(Derivation):
    """A derivation that retrieves distractors from the pool that its options (PoolOptions) describe."""

    source_problem = staticmethod(needs_hops)


def chosen_pool(source: Source, options: PoolOptions, *, tally: Tally) -> tuple[Pool, set[str]]:
    """The pool that the options describe, and the texts that support questions of other splits."""
    others = supports_of_other_splits(source, tally=tally)
    without = frozenset() if options.other_splits else others
    limits = {"shortest": options.shortest, "longest": options.longest}
    return pool_of(source, options.pool, tally=tally, whole=options.whole, without=without, **limits), others


def pool_of(
    source: Source,
    names: str,
    *,
    tally: Tally,
    whole: bool = False,
    shortest: int = 0,
    longest: int = 0,
    without: Collection[str] = (),
) -> Pool:
    """The supporting paragraphs of the datasets `names`, separated by commas (default: the source).

    With `whole`, and for examples that label no support, all paragraphs. `shortest` and `longest` are in
    words; 0 sets no limit. Texts in `without` are left out. The pool's size is added to the tally. Raises CannotDerive
    if it is empty.
    """
    datasets = [source.other(name) for name in names_in(names)] or [source]
    pool = Pool(
        paragraph
        for dataset in datasets
        for example in dataset.examples()
        for paragraph in _offered(example, whole)
        if shortest <= len(paragraph.text.split()) <= (longest or len(paragraph.text))
        and not (without and same_text(paragraph) in without)
    )
    if not len(pool):
        listed = ", ".join(dataset.name for dataset in datasets)
        instead = "name another pool" + (", or give other_splits=true" if without else "")
        raise CannotDerive(f"there is no paragraph to retrieve from in {listed}; {instead}")
    tally.figures["pool"] = {"datasets": [dataset.name for dataset in datasets], "paragraphs": len(pool)}
    return pool


def supports_of_other_splits(source: Source, *, tally: Tally) -> set[str]:
    """The texts that support questions of the other splits; their number is added to the tally if there are any."""
    datasets = source.other_splits()
    texts = {same_text(each) for dataset in datasets for example in dataset.examples() for each in _supports(example)}
    if datasets:
        tally.figures["other splits"] = {"datasets": [dataset.name for dataset in datasets], "paragraphs": len(texts)}
    return texts


def names_in(names: str) -> list[str]:
    """The names of a list with commas, each once."""
    return list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))


def _offered(example: Example, whole: bool) -> Iterator[Paragraph]:
    yield from example.paragraphs if whole or example.supports is None else _supports(example)


def _supports(example: Example) -> Iterator[Paragraph]:
    positions = {hop.support for hop in example.hops if hop.support is not None} | set(example.supports or ())
    for position in sorted(positions):
        yield example.paragraphs[position]


ANSWERING, FOREIGN = "that state the final answer", "that support a question of another split"


@dataclass(frozen=True)
class ContextOptions(PoolOptions):
    """The pool, and the size of a context."""

    paragraphs: int = setting(
        SIZE,
        label=gettext_noop("Paragraphs per context"),
        help=gettext_noop("Supporting paragraphs and distractors together."),
        least=1,
        most=1000,
    )


class Contexts(PoolDerivation):
    how: str = "contexts"
    title: str = gettext_noop("Contexts")
    does: str = gettext_noop(
        "Adds BM25 distractors to each question's supporting paragraphs (query: the hop questions, answers removed)."
    )
    suffix: str = "contexts"
    Options: type = ContextOptions
    group: DerivationGroup = CONTEXTS
    follows: tuple[str, ...] = ("splits",)
    rank: int = 6

    def derive(self, source: Source, options: ContextOptions, *, seed: int, tally: Tally) -> Derived:
        """Every example that has hops, in a new context; the others are dropped with the reason."""
        pool, others = chosen_pool(source, options, tally=tally)
        tally.figures |= {"paragraphs": options.paragraphs, "shorter contexts": 0}
        tally.figures["distractors"] = {kind: {"distractors": 0, "contexts": 0} for kind in (ANSWERING, FOREIGN)}
        for example in source.examples():
            tally.read += 1
            rng = random.Random(f"{seed}/{example.id}/{example.answerable}")
            try:
                built = with_context(example, pool, size=options.paragraphs, rng=rng)
            except NoContext as reason:
                tally.drop(str(reason))
                continue
            tally.kept += 1
            tally.figures["shorter contexts"] += len(built.paragraphs) < options.paragraphs
            _count(built, others, tally)
            yield "", built


def _count(built: Example, others: set[str], tally: Tally) -> None:
    """Count distractors that state the final answer, and distractors that support a question of another split."""
    distractors = distracting(built)
    counts = {
        ANSWERING: sum(states_answer(paragraph, built) for paragraph in distractors),
        FOREIGN: sum(same_text(paragraph) in others for paragraph in distractors),
    }
    for kind, number in counts.items():
        tally.figures["distractors"][kind]["distractors"] += number
        tally.figures["distractors"][kind]["contexts"] += number > 0


DERIVATION = Contexts()
