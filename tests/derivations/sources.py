"""Datasets in memory for derivations, and worlds of invented hops to try them on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive, Tally
from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data.dag import SHAPES
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.setting_fields import read
from tests.shared_data import shared_data

PLACES = (
    *("Farrow", "Quill", "Ember", "Vennory", "Sorrel", "Thistle", "Marrow", "Linnet"),
    *("Gannet", "Wick", "Tarn", "Fell", "Hollow", "Brack", "Selkie", "Dunlin"),
)
PLAIN = (
    *("harbour", "mine", "bell", "feast", "ship", "keeper", "river", "wall"),
    *("salt", "tin", "moor", "chapel", "ferry", "lamp", "road", "market"),
)


class Listed:
    """A dataset of listed examples; `others` are its project's, `beside` other splits."""

    format = "jsonl"

    def __init__(self, examples: Sequence[Example], *, name: str = "source", others: Mapping[str, Any] | None = None):
        self.name, self.origin, self.size = name, name, len(examples)
        self._examples, self._others = tuple(examples), others or {}
        self.beside: list[Listed] = []
        self.told: dict[str, dict[int, str]] = {}

    def examples(self) -> Iterator[Example]:
        return iter(self._examples)

    def other(self, name: str) -> Listed:
        if name not in self._others:
            raise CannotDerive(f"there is no dataset {name}")
        return Listed(self._others[name], name=name)

    def predictions(self, model: str) -> Mapping[int, str]:
        if model not in self.told:
            raise CannotDerive(f"there are no predictions of {model}")
        return self.told[model]

    def other_splits(self) -> list[Listed]:
        return self.beside


def derived(how: str, source: Listed, *, seed: int = 0, **options: Any) -> tuple[list[tuple[str, Example]], Tally]:
    """What a derivation yields, and its tally."""
    derivation, tally = DERIVATIONS[how], Tally()
    found = derivation.derive(source, read(derivation.Options, options), seed=seed, tally=tally)
    return list(found), tally


def made(how: str, source: Listed, *, seed: int = 0, **options: Any) -> list[Example]:
    """The examples that a derivation yields."""
    return [example for _, example in derived(how, source, seed=seed, **options)[0]]


def places() -> list[str]:
    """Two hundred and more names of invented places."""
    return [*PLACES, *(f"{one} {other}" for one in PLACES for other in PLACES if one != other)]


def graphs(count: int, *, seed: int = 0) -> list[Example]:
    """Uncomposed graphs of all shapes; each hop's paragraph states its answer, and other names besides."""
    rng, names = random.Random(seed), places()
    return [_graph(f"g{number}", rng, names) for number in range(count)]


def _graph(name: str, rng: random.Random, names: list[str]) -> Example:
    shape = rng.choice(sorted(SHAPES))
    hops: list[Hop] = []
    paragraphs = []
    for at in range(1, int(shape[0]) + 1):
        answer = rng.choice(names)
        uses = " and ".join(f"#{j}" for j, i in SHAPES[shape] if i == at) or rng.choice(names)
        words = " ".join(rng.sample(PLAIN, 3))
        hops.append(
            Hop(f"Which {words} of {uses} is near {rng.choice(names)}'s {words}?", answer, at - 1, f"{name}.{at}")
        )
        around = [" ".join(rng.choices(PLAIN, k=count)) for count in (12, 6)]
        text = f"{around[0]} {answer} {around[1]} {rng.choice(names)} {name} {at}."
        paragraphs.append(Paragraph(rng.choice(names), text))
    return Example(
        id=name,
        question="",
        paragraphs=tuple(paragraphs),
        answers=(hops[-1].answer,),
        supports=tuple(range(len(hops))),
        hops=tuple(hops),
        shape=shape,
    )


def real(*files: str) -> list[Example]:
    """The examples of files of real MuSiQue records; skips where they are missing."""
    parsed = [one for file in files for one in FORMATS["musique"].read(shared_data(file)) if isinstance(one, Parsed)]
    return [one.example for one in parsed if one.example]


MUSIQUE_ANS = ("musique_ans_dev_130.jsonl", "musique_ans_train_60.jsonl")
