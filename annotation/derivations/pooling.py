"""The paragraphs that derivations retrieve distractors from, as their options choose them."""

from collections.abc import Collection, Iterator
from typing import Any

from annotation.derivations.base import CannotDerive, Source, Tally, option
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.text.bm25 import Pool, same_text
from annotation.pure.text.translation_marks import gettext_noop

_POOL = gettext_noop("Distractor pool")


def pool_option(**about: Any) -> Any:
    return option(
        "",
        gettext_noop("Datasets for the pool"),
        help=gettext_noop(
            "Their supporting paragraphs form the pool, usually those of the single-hop questions. Leave "
            "empty to use this dataset itself."
        ),
        kind="datasets",
        **about,
    )


def whole_option() -> Any:
    return option(
        False, gettext_noop("Use all paragraphs of these datasets, not only the supporting ones"), group=_POOL
    )


def shortest_option() -> Any:
    about = gettext_noop("Minimum words per distractor")
    return option(0, about, help=gettext_noop("0 means no limit."), least=0, most=1_000_000, group=_POOL)


def longest_option() -> Any:
    about = gettext_noop("Maximum words per distractor")
    return option(0, about, help=gettext_noop("0 means no limit."), least=0, most=1_000_000, group=_POOL)


def other_splits_option() -> Any:
    return option(
        False,
        gettext_noop("Allow supporting paragraphs of other splits"),
        help=gettext_noop("If this is off, no context contains a supporting paragraph of another split."),
        group=_POOL,
    )


def check_lengths(shortest: int, longest: int) -> None:
    """Raises CannotDerive for lengths of paragraphs that cannot be."""
    if longest and longest < shortest:
        message = f"no paragraph has {shortest} words or more and {longest} or fewer; give a larger longest"
        raise CannotDerive(message, option="longest")


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
    """The supporting paragraphs of the datasets named (commas between; none: of the source itself).

    With `whole`, and for examples that label no support, all paragraphs. `shortest` and `longest` are in
    words; 0 sets no limit. Texts in `without` stay out. The pool's size goes into the tally. Raises CannotDerive where
    it is empty.
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
    """The texts that support questions of the other splits. How many goes into the tally where there are any."""
    datasets = source.other_splits()
    texts = {same_text(each) for dataset in datasets for example in dataset.examples() for each in _supports(example)}
    if datasets:
        tally.figures["other splits"] = {"datasets": [dataset.name for dataset in datasets], "paragraphs": len(texts)}
    return texts


def names_in(names: str) -> list[str]:
    """The names of a list with commas, each once."""
    return list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))


def _offered(example: Example, whole: bool) -> Iterator[Paragraph]:
    if whole or example.supports is None:
        yield from example.paragraphs
        return
    yield from _supports(example)


def _supports(example: Example) -> Iterator[Paragraph]:
    positions = {hop.support for hop in example.hops if hop.support is not None} | set(example.supports or ())
    for position in sorted(positions):
        yield example.paragraphs[position]
