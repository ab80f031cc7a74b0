"""`--how composable-pairs`: pairs of single-hop questions with a bridge entity between them.

The tally reads questions, and keeps and drops candidates: a head and a tail of one entity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.derivations.base import (
    PAIRS,
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Source,
    Tally,
    needs_singles,
)
from annotation.pure.data.example import Example
from annotation.pure.derivations.composable_pairs import PER_ENTITY, Index
from annotation.pure.derivations.single_hop import Single, as_single_hop, numbered, part_groups
from annotation.pure.setting_fields import setting
from annotation.pure.text.named_entities import EntityCheck, PlainCheck
from annotation.pure.text.translation_marks import gettext_noop


def per_entity_option(**about: Any) -> Any:
    return setting(
        PER_ENTITY,
        label=gettext_noop("Maximum number of pairs per bridge entity"),
        help=gettext_noop("Drawn with the seed. 0 keeps all."),
        least=0,
        most=100_000_000,
        **about,
    )


def whole_names_option(**about: Any) -> Any:
    return setting(
        True,
        label=gettext_noop("Match whole names only"),
        help=gettext_noop("Ignores mentions inside a longer name: “York” is not found in “New York”."),
        **about,
    )


@dataclass(frozen=True)
class PairOptions:
    per_entity: int = per_entity_option()
    whole_names: bool = whole_names_option()


class ComposablePairs(Derivation):
    """`check` replaces the default check, which uses spelling only."""

    how: str = "composable-pairs"
    title: str = gettext_noop("Composable pairs")
    does: str = gettext_noop(
        "Finds pairs of single-hop questions in which the second question names the answer of the first, "
        "their bridge entity."
    )
    suffix: str = "pairs"
    Options: type = PairOptions
    group: DerivationGroup = PAIRS
    follows: tuple[str, ...] = ("singlehop",)
    rank: int = 2

    def __init__(self, check: EntityCheck | None = None) -> None:
        self._check = check

    source_problem = staticmethod(needs_singles)

    def related(self, example: Example) -> Iterator[tuple[str, str]]:
        return ((example.group, part) for part in part_groups(example))

    def derive(self, source: Source, options: PairOptions, *, seed: int, tally: Tally) -> Derived:
        """Two-hop Examples, entity by entity. Raises CannotDerive if the source is not single-hop."""
        check = self._check or PlainCheck(whole_names=options.whole_names)
        index = Index(singles_of(source), check, nested=not options.whole_names, tick=tally.tick)
        tally.read = source.size
        tally.figures |= index_figures(index)
        for pair in index.pairs(seed=seed, dropped=tally.dropped, per_entity=options.per_entity):
            tally.kept += 1
            yield "", index.example(pair)


def singles_of(source: Source) -> Iterator[Single]:
    """The questions of a single-hop dataset, with integers as ids. Raises CannotDerive for other datasets."""
    return numbered(_singles(source))


def _singles(source: Source) -> Iterator[Single]:
    seen: set[str] = set()
    for example in source.examples():
        question = "it has a decomposition" if example.hops else as_single_hop(example)
        if isinstance(question, str):
            raise CannotDerive(f"{example.id} is no single-hop question: {question}. Derive with `singlehop` first")
        if question.id in seen:
            raise CannotDerive(f"two questions have the id {question.id}. Derive with `singlehop` first")
        seen.add(question.id)
        yield question


def index_figures(index: Index) -> dict[str, object]:
    entities = list(index.entities())
    heads = {head for entity in entities for head in entity.heads}
    tails = {tail for entity in entities for tail in entity.tails}
    return {
        "questions": len(index.singles),
        "entities": len(entities),
        "candidates": sum(entity.candidates for entity in entities),
        "heads": len(heads),
        "tails": len(tails),
        "refused": dict(sorted(index.refused.items())),
    }


DERIVATION = ComposablePairs()
