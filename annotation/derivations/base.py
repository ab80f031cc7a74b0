"""The base class of derivations, which make datasets from a dataset.

One module per `--how`, named like it with `_` for `-`, or per family of them. Its last line is
`DERIVATION = Name()`, or a tuple of a family; `DERIVATIONS` in `annotation.derivations` finds them. The work itself
is pure (annotation.pure); a derivation chooses, counts and reports. The same source, options and seed give the same
examples in the same order.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from annotation.pure.data.example import Example
from annotation.pure.net.progress import Tick, no_tick
from annotation.pure.text.translation_marks import gettext_noop


class CannotDerive(ValueError):
    """The source is unsuitable, or a file; the message says why, and how to fix it."""


@dataclass
class Tally:
    """Numbers of kept and dropped items, with reasons, and the figures of a derivation's report (JSON values).

    Long computations call `tick` now and then to show that they are alive.
    """

    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    figures: dict[str, Any] = field(default_factory=dict)
    tick: Tick = no_tick

    def drop(self, reason: str) -> None:
        self.dropped[reason] += 1


class Source(Protocol):
    """A dataset as derivations see it. It can be read any number of times, always in the same order."""

    name: str
    origin: str  # the name of the dataset that its records first came in
    format: str  # of the file that its records first came in
    size: int

    def examples(self) -> Iterator[Example]:
        """The examples, streamed."""

    def other(self, name: str) -> Source:
        """Another dataset of the project, for a pool. Raises CannotDerive if there is no dataset `name`."""

    def predictions(self, model: str) -> Mapping[int, str]:
        """A model's answers by the places of the examples, from 0. Raises CannotDerive without predictions of it."""

    def other_splits(self) -> Sequence[Source]:
        """The other splits of the derivation that the dataset is or was made from; empty if it belongs to no split."""


@dataclass(frozen=True, slots=True)
class DerivationGroup:
    """A heading on the page of derivations; headings with a `step` form the pipeline, in that order."""

    title: str  # a gettext id
    step: int = 0
    by_people: bool = False  # workers do it in a batch, no derivation does
    follows: tuple[str, ...] = ()  # as of a Derivation


RESULTS = "verdicts"  # in `follows`: datasets created from a batch's results
SINGLE_HOPS = DerivationGroup(gettext_noop("Single-hop questions"), 1)
PAIRS = DerivationGroup(gettext_noop("Pairs"), 2)
CONNECTED_PAIRS = DerivationGroup(gettext_noop("Filter pairs that need both hops (requires models)"), 3)
GRAPHS = DerivationGroup(gettext_noop("Graphs"), 4)
QUESTIONS = DerivationGroup(gettext_noop("Questions written by workers"), 5, by_people=True, follows=("graphs",))
SPLITS = DerivationGroup(gettext_noop("Splits"), 6)
CONTEXTS = DerivationGroup(gettext_noop("Contexts for each split"), 7)
TWINS = DerivationGroup(gettext_noop("Unanswerable twins"), 8)
PIPELINE = (SINGLE_HOPS, PAIRS, CONNECTED_PAIRS, GRAPHS, QUESTIONS, SPLITS, CONTEXTS, TWINS)
DIRE = DerivationGroup(gettext_noop("DiRe: contexts without some of the supporting paragraphs"))
NMF = DerivationGroup(gettext_noop("NMF, the earlier version of DiRe"))
ABLATIONS = DerivationGroup(gettext_noop("Ablations: questions without one kind of features"))
OTHERS = DerivationGroup(gettext_noop("Other studies, samples and joins"))


Features = Mapping[str, Any]


Derived = Iterator[tuple[str, Example]]  # (output, example) pairs


class Derivation(ABC):
    """Base class of derivations, which make datasets from a dataset, with common defaults."""

    how: str  # as `--how` says it
    title: str  # as a page calls it; a gettext id, as is `does`
    does: str  # description in one plain sentence
    suffix: str  # appended to the source's name to propose a name
    group: DerivationGroup = OTHERS  # the heading under which a page offers it
    follows: tuple[str, ...] = ()  # how the datasets were made after which it usually comes next; "": imported
    Options: type  # frozen dataclass; its fields are str, int, float or bool and made by `setting`
    is_for_hidden_gold: bool = False  # whether its datasets can only be used as hidden gold
    alters: bool = False  # whether people see less, or something else, than in the source
    outputs: tuple[str, ...] = ("",)  # suffixes of the new datasets' names, one dataset each

    def source_problem(self, features: Features) -> str:
        """The reason why a dataset with these features cannot be the source, as a gettext id, or ""."""
        return ""

    def related(self, example: Example) -> Iterable[tuple[str, str]]:
        """(group, group of a part) pairs: a pair or graph is made of single-hop questions, a graph also of pairs.

        A worker who has seen an item of one of the two has seen the other. "" stands for the group of the record read
        last.
        """
        return ()

    @abstractmethod
    def derive(self, source: Source, options: Any, *, seed: int, tally: Tally) -> Derived:
        """(output, example) pairs, while the tally fills up. Raises CannotDerive."""


NO_HOPS = gettext_noop("Needs a decomposition into hops.")
NOT_SINGLE = gettext_noop("Needs single-hop questions with one paragraph each.")
NO_PARTS = gettext_noop("Needs a decomposition into hops, or questions with one supporting paragraph each.")
NEITHER = gettext_noop("Needs single-hop questions with one paragraph each, or pairs of them.")
NO_GRAPHS = gettext_noop("Needs graphs of hops.")
NO_SUPPORTS = gettext_noop("Needs supporting paragraphs.")
NO_OPTIONS = gettext_noop("Needs answer options.")


def needs_options(features: Features) -> str:
    return "" if features.get("options") else NO_OPTIONS


def needs_supports(features: Features) -> str:
    return "" if features.get("supports") else NO_SUPPORTS


def needs_hops(features: Features) -> str:
    return "" if _hops(features) - {"0"} else NO_HOPS


def needs_singles(features: Features) -> str:
    return "" if _all_single(features) else NOT_SINGLE


def needs_singles_or_pairs(features: Features) -> str:
    pairs = _hops(features) == {"2"} and set(features.get("shapes", {})) == {"2hop"}
    return "" if pairs or _all_single(features) else NEITHER


def needs_parts(features: Features) -> str:
    """A `source_problem` for derivations that need hops, or questions of one paragraph: NO_PARTS or ""."""
    of_one = "1" in features.get("paragraphs", {}) or features.get("one_support")
    return "" if of_one or _hops(features) - {"0"} else NO_PARTS


def _hops(features: Features) -> set[str]:
    return set(features.get("hops", {}))


def _all_single(features: Features) -> bool:
    return _hops(features) == {"0"} and set(features.get("paragraphs", {})) == {"1"}


def json_lines(path: str, *, what: str, form: str) -> Iterator[tuple[str, Any]]:
    """(position in words, JSON value) of each line that is not blank, for an option that takes a file.

    Raises CannotDerive for an unreadable file or line, naming `what` it should hold and the `form` of a line.
    """
    try:
        with Path(path).open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    place = f"line {number} of {what}"
                    yield place, _decoded(line, f"{place} is not JSON; give {form}")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotDerive(f"{what} cannot be read: {error}; give a UTF-8 file with lines {form}") from error


def _decoded(line: str, refusal: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CannotDerive(refusal) from error
