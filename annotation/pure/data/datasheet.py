"""Facts for a dataset's datasheet: counts over its splits, and its lineage.

The counts follow MuSiQue (Trivedi et al. 2022, table 2 and the text beside it). A question is counted once with its
twin, a single-hop question by its id (without one, by its text with earlier answers filled in), answers and
paragraphs (title and text) by exact match.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.pure.data.example import JSON, Example
from annotation.pure.text.masking import resolved

SORTS = ("single-hop questions", "final answers", "single-hop answers", "supporting paragraphs")


@dataclass
class Split:
    """The counts of one split, or of several together."""

    name: str
    records: int = 0
    answerable: Counter[str] = field(default_factory=Counter)  # "yes", "no" and "" (not said), records each
    hops: Counter[int] = field(default_factory=Counter)  # questions by their number; 0: without a decomposition
    shapes: Counter[str] = field(default_factory=Counter)  # questions
    questions: set[bytes] = field(default_factory=set)
    unique: dict[str, set[bytes]] = field(default_factory=lambda: {sort: set() for sort in SORTS})

    @classmethod
    def of(cls, name: str, examples: Iterable[Example]) -> Split:
        split = cls(name)
        for example in examples:
            split.add(example)
        return split

    def add(self, example: Example) -> None:
        self.records += 1
        self.answerable[{True: "yes", False: "no", None: ""}[example.answerable]] += 1
        question = _key(example.group or example.id, example.question)
        if question not in self.questions:
            self.questions.add(question)
            self.hops[len(example.hops)] += 1
            self.shapes[example.shape if example.hops else ""] += 1
        self._add_parts(example)

    def _add_parts(self, example: Example) -> None:
        singles, finals, answers, paragraphs = (self.unique[sort] for sort in SORTS)
        if example.answers:
            finals.add(_key(example.answers[0]))
        for hop in example.hops:
            words = resolved(hop.question, example.hops)
            singles.add(_key("words", words) if hop.id is None else _key("id", str(hop.id)))
            answers.add(_key(hop.answer))
        positions = {hop.support for hop in example.hops} | set(example.supports or ())
        for position in positions:
            if position is not None and position < len(example.paragraphs):
                paragraph = example.paragraphs[position]
                paragraphs.add(_key(paragraph.title, paragraph.text))

    def number(self, sort: str) -> int:
        return len(self.unique[sort])


def together(splits: Iterable[Split]) -> Split:
    """All splits as one; single-hop questions, answers and paragraphs in several splits count once."""
    total = Split("all")
    for split in splits:
        total.records += split.records
        total.answerable += split.answerable
        total.hops += split.hops
        total.shapes += split.shapes
        total.questions |= split.questions
        for sort in SORTS:
            total.unique[sort] |= split.unique[sort]
    return total


def _key(*parts: str) -> bytes:
    lengths = "/".join(str(len(part)) for part in parts)
    text = "\0".join([lengths, *parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


@dataclass(frozen=True, slots=True)
class Origin:
    """A dataset that was imported and from which, or with whose paragraphs, the dataset was made."""

    name: str
    format: str
    size: int
    licence: str
    source: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Step:
    """One derivation, or the aggregated responses of one batch. `made` names the datasets it created."""

    made: tuple[str, ...]
    how: str
    sources: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int
    version: str
    report: JSON  # {"read", "kept", "dropped", "figures"}
    batch: str = ""
    title: str = ""  # of the derivation, in words


class Table(NamedTuple):
    """Cells as they are shown; the first column is words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model with predictions for a batch's task; what only holds of one that was asked here is empty of others."""

    name: str  # of its predictions
    items: int
    model: str = ""
    host: str = ""
    first: str = ""  # days of the first and the last request
    last: str = ""
    prompt_hash: str = ""  # SHA-256
    samples: int = 1
    temperature: float | None = None
    cost: str = ""  # US dollars, of all requests
    terms: str = ""  # for its output, as the requester typed them


@dataclass(frozen=True, slots=True)
class Work:
    """A batch in which people worked on the dataset."""

    batch: str
    task: str
    made: bool  # its aggregated responses went into the dataset; otherwise workers annotated the dataset as it is
    hits: int
    excluded: int
    answers: int
    workers: int
    per_hit: int
    chosen: int | None  # how many were let in by name; None: everybody of the project might work
    qualifications: tuple[tuple[str, int], ...]  # batches of the same task with that purpose: (name, workers)
    pay: tuple[tuple[str, str], ...]  # a paid batch's rewards, and its payments so far; () if unpaid
    first: str = ""  # days of the first and the last answer
    last: str = ""
    agreement: tuple[Table, ...] = ()  # of the batch's report, if it is up to date
    instructions_versions: int = 0
    excluded_responses: int = 0  # to excluded HITs
    imported: int = 0  # imported answers, which have no recorded day
    most_per_hit: int = 0  # if some HITs asked for more than `per_hit`
    responses: tuple[int, int] = (0, 0)  # the fewest and the most that a HIT that counts has
    rejected: int = 0  # answers that a requester rejected, and so did not pay
    unpaid: int = 0  # answers of a paid batch without a decision or a payment yet
    preface: str = ""  # what stood before the task's own instructions
    decided: tuple[tuple[str, int], ...] = ()  # by whom the results in the dataset were decided: in words, and how many
    baselines: tuple[Table, ...] = ()  # of the batch's report: answers that need no multihop reasoning
    marketplace: str = ""
    asked: tuple[str, ...] = ()  # sentences of its report on what a rubric asked, and how often it was answered
    requires: bool = False  # whether workers had to meet requirements
    drawn_by: str = ""  # the model by whose confidence the items were drawn
    suggest: str = ""  # the model whose answer some pages started with
    suggested: int = 0  # responses that started with one, which are not among `answers`
    models: tuple[AskedModel, ...] = ()  # that have predictions for its task


@dataclass(frozen=True, slots=True)
class Sheet:
    """The contents of the datasheet and the dataset card."""

    name: str
    licence: str  # the dataset's own, or else its sources', separated by "; "
    splits: tuple[Split, ...]
    origins: tuple[Origin, ...]
    steps: tuple[Step, ...]  # in order: a step's sources come before it
    works: tuple[Work, ...]
    workers: int  # different people over all works
    changed: tuple[tuple[str, int, int], ...] = ()  # (dataset, items edited, items archived) since it came or was made
    gone: tuple[str, ...] = ()  # datasets of the lineage that are not there any more
    ethics: str = ""  # who approved the work with people
    consent: str = ""  # how people consented, as stated
    consented: int = 0  # people who answered here and accepted the project's consent text
    asked: int = 0  # people who answered here; consent to responses from elsewhere is not known
