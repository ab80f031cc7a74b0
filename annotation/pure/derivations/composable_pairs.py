"""Pairs of single-hop questions that can be composed: the answer of one is mentioned in the other (MuSiQue, S2).

All answers are searched in all questions at once and indexed as entity -> heads, tails; the pairs of an entity
are built on demand. The only module that imports pyahocorasick.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

import ahocorasick  # type: ignore[import-not-found]  # a module of C without stubs

from annotation.pure.data import dag
from annotation.pure.data.example import JSON, Example, Hop, Paragraph
from annotation.pure.derivations.bridges import Mention, entity_key, folded, masked, mention_end, mentions, tidy
from annotation.pure.derivations.single_hop import ORIGIN, SOURCE, Single, hop_id
from annotation.pure.net.progress import Tick, no_tick
from annotation.pure.statistics.random_draws import shuffled
from annotation.pure.text.named_entities import EntityCheck

PER_ENTITY = 1_000
LOOKS = 20  # candidates looked at for each pair that is wanted, before an entity is left

ENTITY, TAIL_QUESTION = "entity", "tail_question"  # in a pair's `extra`
KNOWN_BRIDGES = "known_bridges"  # in `extra`, for each edge: "same", "different", or "" if unknown


class Pair(NamedTuple):
    """Two positions in the index: the answer of `head` is mentioned in the question of `tail`."""

    head: int
    tail: int


@dataclass(slots=True)
class Entity:
    """An entity: the positions of the questions it answers (heads) and of those that mention it (tails), ascending."""

    key: str
    heads: array[int] = field(default_factory=lambda: array("L"))
    tails: array[int] = field(default_factory=lambda: array("L"))

    @property
    def candidates(self) -> int:
        return len(self.heads) * len(self.tails)


class Index:
    """An index of single-hop questions by entity: the questions it answers and the questions that mention it.

    `refused` counts the questions, answers and mentions that were rejected, by reason.
    """

    def __init__(
        self, singles: Iterable[Single], check: EntityCheck, *, nested: bool = False, tick: Tick = no_tick
    ) -> None:
        """`nested` also accepts mentions inside mentions of longer entities, such as "York" in "New York"."""
        self.singles: list[Single] = []
        self.keys: list[str] = []  # of the answer, for each question
        self.passages: list[int] = []  # equal numbers for equal title and text
        self.refused: Counter[str] = Counter()
        self._check, self._nested, self._tick = check, nested, tick
        self._entities: dict[str, Entity] = {}
        self._read(singles)
        self._look_for_mentions()

    def entities(self) -> Iterator[Entity]:
        """The entities that have heads and tails, in the order of their first heads."""
        return (entity for entity in self._entities.values() if entity.tails)

    def _read(self, singles: Iterable[Single]) -> None:
        passages: dict[tuple[str, str], tuple[int, Paragraph]] = {}
        keys: dict[str, str] = {}
        for single in singles:
            if dag.references(single.question):
                self.refused["the question has a #k of its own"] += 1
                continue
            key = entity_key(single.answer)
            key = keys.setdefault(key, key)
            known = (single.paragraph.title, single.paragraph.text)
            passage, paragraph = passages.setdefault(known, (len(passages), single.paragraph))
            self._head(single, key)
            self.singles.append(replace(single, question=tidy(single.question), paragraph=paragraph))
            self.keys.append(key)
            self.passages.append(passage)

    def _head(self, single: Single, key: str) -> None:
        if not key or not self._check.names(single):
            self.refused["the answer is no named entity"] += 1
            return
        self._entities.setdefault(key, Entity(key)).heads.append(len(self.singles))

    def _look_for_mentions(self) -> None:
        if not self._entities:
            return
        automaton = ahocorasick.Automaton(ahocorasick.STORE_ANY)
        for entity in self._entities.values():
            automaton.add_word(entity.key, entity)
        automaton.make_automaton()
        for position, single in enumerate(self.singles):
            self._tick()
            low = folded(single.question)
            named: dict[str, Entity] = {}
            for last, entity in automaton.iter(low):
                if entity.key not in named and mention_end(low, last + 1 - len(entity.key), last + 1):
                    named[entity.key] = entity
            self._tail(position, [(entity, mentions(entity.key, low)) for entity in named.values()])

    def _tail(self, position: int, named: list[tuple[Entity, list[Mention]]]) -> None:
        question = self.singles[position].question
        for entity, places in named:
            if not self._nested and any(_inside(places, longer) for _, longer in named):
                self.refused["the mention is inside that of a longer entity"] += 1
            elif all(self._check.mentioned(question, place) for place in places):
                entity.tails.append(position)
            else:
                self.refused["the mention is no entity of its own"] += 1

    def pairs(self, *, seed: int | str, dropped: Counter[str], per_entity: int = PER_ENTITY) -> Iterator[Pair]:
        """All pairs, entity by entity, at most `per_entity` of each (0: all), chosen by the seed.

        An entity's choice depends on its own questions only. `dropped` counts rejected candidates by
        reason, and the candidates over the limit.
        """
        for entity in self.entities():
            self._tick()
            yield from self._pairs_of(entity, per_entity or entity.candidates, seed=seed, dropped=dropped)

    def _pairs_of(self, entity: Entity, most: int, *, seed: int | str, dropped: Counter[str]) -> list[Pair]:
        size, width = entity.candidates, len(entity.tails)
        order = shuffled(size, Random(f"{seed}/{entity.key}")) if size > most else iter(range(size))
        chosen: list[int] = []
        looks = 0
        for place in order:
            if len(chosen) == most or looks == LOOKS * most:
                break
            looks += 1
            if reason := self.fault(Pair(entity.heads[place // width], entity.tails[place % width])):
                dropped[reason] += 1
            else:
                chosen.append(place)
        if looks < size:
            dropped["more pairs of the entity than wanted"] += size - looks
        return [Pair(entity.heads[place // width], entity.tails[place % width]) for place in sorted(chosen)]

    def fault(self, pair: Pair) -> str:
        """The reason why a candidate is not a pair, or ""."""
        head, tail = pair
        if self.passages[head] == self.passages[tail]:
            return "both questions are about the same paragraph"
        if self.keys[head] == self.keys[tail]:
            return "the tail's answer is the bridge entity"
        if not self.keys[tail]:
            return "the tail's answer says nothing"
        if mentions(self.keys[tail], folded(self.singles[head].question)):
            return "the tail's answer is in the head's question"
        if not self._check.same(self.singles[head], self.singles[tail]):
            return "the check takes the mentions for different entities"
        return ""

    def example(self, pair: Pair) -> Example:
        """The pair as a two-hop Example whose question is still to be composed."""
        return pair_example(self.singles[pair.head], self.singles[pair.tail])


def _inside(places: list[Mention], longer: list[Mention]) -> bool:
    """Whether one of the mentions lies within a longer one, which replacing it by `#1` would break."""
    return any(
        around.start <= place.start and place.end <= around.end and around != place
        for place in places
        for around in longer
    )


def extra_of(singles: Sequence[Single]) -> JSON:
    """The `extra` fields that record the sources of these hops; {} if unknown."""
    fields = {SOURCE: [single.source for single in singles], ORIGIN: [single.origin for single in singles]}
    return {key: texts for key, texts in fields.items() if any(texts)}


def pair_example(head: Single, tail: Single) -> Example:
    """The Example of a pair. Raises ValueError if the tail's question does not mention the head's answer."""
    question = masked(tail.question, [(head.answer, 1)])
    if question is None:
        raise ValueError(f"the answer of {head.id} is not mentioned in the question of {tail.id}")
    pair_id = f"{head.id}_{tail.id}"
    return Example(
        id=pair_id,
        question="",
        paragraphs=(head.paragraph, tail.paragraph),
        answers=tail.answers,
        supports=(0, 1),
        hops=(
            Hop(tidy(head.question), head.answer, 0, hop_id(head.id)),
            Hop(question, tail.answer, 1, hop_id(tail.id)),
        ),
        group=pair_id,
        shape="2hop",
        extra={ENTITY: head.answer, TAIL_QUESTION: tail.question} | extra_of([head, tail]),
    )
