"""The common representation of every dataset's records: a question with its context and gold.

Formats read records into Examples and write them back; tasks turn Examples into payloads. Offsets are
Unicode code points everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A titled passage. `sentences` is None if the source has no sentence boundaries."""

    title: str
    text: str
    sentences: tuple[str, ...] | None = None

    @classmethod
    def of_sentences(cls, title: str, sentences: tuple[str, ...]) -> Paragraph:
        """Join sentences; a space is inserted only between sentences without one."""
        return cls(title, "".join(_spaced(sentences)), sentences)

    def sentence_spans(self) -> list[tuple[int, int]]:
        """(start, end) of each sentence in `text`, in code points; one span if there are no sentences."""
        if self.sentences is None:
            return [(0, len(self.text))]
        spans, start = [], 0
        for piece, sentence in zip(_spaced(self.sentences), self.sentences, strict=True):
            end = start + len(piece)
            spans.append((end - len(sentence), end))
            start = end
        return spans

    def as_json(self) -> JSON:
        if self.sentences is None:
            return {"title": self.title, "text": self.text}
        return {"title": self.title, "sentences": list(self.sentences)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Paragraph:
        if "sentences" in record:
            return cls.of_sentences(record["title"], tuple(record["sentences"]))
        return cls(record["title"], record["text"])


def _spaced(sentences: tuple[str, ...]) -> list[str]:
    pieces: list[str] = []
    for sentence in sentences:
        glued = sentence and not sentence[0].isspace() and pieces and pieces[-1] and not pieces[-1][-1].isspace()
        pieces.append(f" {sentence}" if glued else sentence)
    return pieces


@dataclass(frozen=True, slots=True)
class Hop:
    """A single-hop question of a decomposition. `#k` in its text stands for the answer of hop k (1-based)."""

    question: str
    answer: str
    support: int | None = None  # position of its paragraph; None if that is not in the context
    id: str | int | None = None

    def as_json(self) -> JSON:
        return {"question": self.question, "answer": self.answer, "support": self.support, "id": self.id}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Hop:
        return cls(record["question"], record["answer"], record.get("support"), record.get("id"))


@dataclass(frozen=True, slots=True)
class Example:
    """A record of a dataset: the parts that may be shown (question, paragraphs, options) and the gold.

    `answers` holds the answer and then its aliases; empty if the source withholds it. `supports` are
    paragraph positions in order of the context, None where hidden; `facts` are (paragraph, sentence)
    positions where the source labels sentences. `group` is shared by related records (twins, probes).
    `shape` is the decomposition's (pure.data.dag) or the source's own type of question. `answer_set` holds the
    answers of a question that has several, each with its aliases. `as_of` is the date (YYYY, YYYY-MM or YYYY-MM-DD)
    for which the question is asked and the gold holds. `extra` holds all other fields of the source, so that an
    export restores them.
    """

    id: str
    question: str
    paragraphs: tuple[Paragraph, ...]
    answers: tuple[str, ...] = ()
    supports: tuple[int, ...] | None = None
    facts: tuple[tuple[int, int], ...] | None = None
    hops: tuple[Hop, ...] = ()
    answerable: bool | None = None  # None: the source does not say (every question has an answer)
    options: tuple[str, ...] = ()
    group: str = ""
    shape: str = ""
    answer_set: tuple[tuple[str, ...], ...] = ()
    as_of: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str | None:
        return self.answers[0] if self.answers else None

    @property
    def outline(self) -> str:
        """The question; without one its hops' questions, the first text among the other fields, or the id."""
        hops = " · ".join(hop.question for hop in self.hops)
        texts = (value for value in self.extra.values() if isinstance(value, str) and value.strip())
        return self.question or hops or next(texts, self.id)

    def as_json(self) -> JSON:
        """The Example as JSON for storage; `from_json` returns an equal Example."""
        return {
            "id": self.id,
            "question": self.question,
            "paragraphs": [p.as_json() for p in self.paragraphs],
            "answers": list(self.answers),
            "supports": None if self.supports is None else list(self.supports),
            "facts": None if self.facts is None else [list(f) for f in self.facts],
            "hops": [h.as_json() for h in self.hops],
            "answerable": self.answerable,
            "options": list(self.options),
            "group": self.group,
            "shape": self.shape,
            **({"answer_set": [list(answer) for answer in self.answer_set]} if self.answer_set else {}),
            **({"as_of": self.as_of} if self.as_of else {}),
            "extra": dict(self.extra),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Example:
        supports, facts = record.get("supports"), record.get("facts")
        return cls(
            id=record["id"],
            question=record["question"],
            paragraphs=tuple(Paragraph.from_json(p) for p in record["paragraphs"]),
            answers=tuple(record.get("answers") or ()),
            supports=None if supports is None else tuple(supports),
            facts=None if facts is None else tuple((p, s) for p, s in facts),
            hops=tuple(Hop.from_json(h) for h in record.get("hops") or ()),
            answerable=record.get("answerable"),
            options=tuple(record.get("options") or ()),
            group=record.get("group") or "",
            shape=record.get("shape") or "",
            answer_set=tuple(tuple(answer) for answer in record.get("answer_set") or ()),
            as_of=record.get("as_of") or "",
            extra=record.get("extra") or {},
        )


def option_of(answer: str, options: Sequence[str]) -> str:
    """The option that a letter names; any other text is returned unchanged.

    ValueError for a letter beyond the options.
    """
    letter = answer.strip().upper()
    if answer.strip() in {option.strip() for option in options} or len(letter) != 1 or letter not in ascii_uppercase:
        return answer
    number = ascii_uppercase.index(letter)
    if number >= len(options):
        raise ValueError(f"the letter {letter} names none of the {len(options)} options")
    return options[number]


OUTSIDE = "@facts_outside"  # in `extra`: [[title, sentence], ...], labels that replace the context's own in a file


def reduced(example: Example, kept: Sequence[int]) -> Example:
    """The example with the paragraphs at these positions, in this order."""
    place = {old: new for new, old in enumerate(kept)}
    supports = None if example.supports is None else tuple(sorted(place[k] for k in example.supports if k in place))
    facts = None if example.facts is None else tuple((place[p], s) for p, s in example.facts if p in place)
    return replace(
        example,
        paragraphs=tuple(example.paragraphs[k] for k in kept),
        supports=supports,
        facts=facts,
        hops=moved_hops(example.hops, place),
    )


def moved_hops(hops: Sequence[Hop], place: Mapping[int, int]) -> tuple[Hop, ...]:
    """The hops with `support` mapped by `place` (old to new positions); None for a paragraph that is not in it."""
    return tuple(replace(hop, support=None if hop.support is None else place.get(hop.support)) for hop in hops)


def with_distinct_titles(paragraphs: Sequence[Paragraph]) -> tuple[Paragraph, ...]:
    """The paragraphs, with " (2)" etc. appended to repeated titles, for formats that identify them by title."""
    titles = {p.title for p in paragraphs}
    seen: set[str] = set()
    named = []
    for paragraph in paragraphs:
        title, number = paragraph.title, 2
        while title in seen or (title != paragraph.title and title in titles):
            title, number = f"{paragraph.title} ({number})", number + 1
        seen.add(title)
        named.append(paragraph if title == paragraph.title else replace(paragraph, title=title))
    return tuple(named)
