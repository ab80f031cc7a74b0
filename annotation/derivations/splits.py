"""`splits`: splits a dataset into train, dev and test without leakage (S5 of MuSiQue's pipeline)."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.derivations.base import RESULTS, SPLITS, Derivation, DerivationGroup, Derived, Source, Tally
from annotation.pure.data.example import Example
from annotation.pure.derivations.context_building import distracting
from annotation.pure.derivations.dataset_splits import REMOVED, Unit, keys, paragraph_key, shared, split
from annotation.pure.derivations.single_hop import SOURCE
from annotation.pure.setting_fields import Flaw, InvalidValues, setting
from annotation.pure.text.translation_marks import gettext_noop

NAMES = ("train", "dev", "test")


@dataclass(frozen=True)
class SplitOptions:
    """Shares of the questions, which sum to 1, and the field of `extra` that names the source of a question."""

    train: float = setting(0.8, label=gettext_noop("Train share"), least=0, most=1)
    dev: float = setting(0.1, label=gettext_noop("Dev share"), least=0, most=1)
    test: float = setting(
        0.1, label=gettext_noop("Test share"), help=gettext_noop("The three shares must sum to 1."), least=0, most=1
    )
    source_field: str = setting(
        SOURCE,
        label=gettext_noop("Field with the source of each question"),
        help=gettext_noop("All three splits get a similar mix of these sources and of the numbers of hops."),
        length=200,
        group=gettext_noop("Mix"),
    )

    def __post_init__(self) -> None:
        shares = (self.train, self.dev, self.test)
        if abs(sum(shares) - 1) > 1e-6:
            text = gettext_noop("The shares of train, dev and test are %(shares)s. Give three that sum to 1.")
            raise InvalidValues({"train": [Flaw(text, {"shares": " + ".join(f"{share:g}" for share in shares)})]})


@dataclass(slots=True)
class _Question:
    """An example, or its twins together."""

    keys: set[str]
    hops: str
    source: str

    def unit(self) -> Unit:
        return Unit(frozenset(self.keys), f"{self.hops}/{self.source}")


class Splits(Derivation):
    how: str = "splits"
    title: str = gettext_noop("Splits")
    does: str = gettext_noop(
        "Splits the questions into train, dev and test. No question of dev or test shares a single-hop "
        "question, an answer or a supporting paragraph with a question of train."
    )
    suffix: str = ""
    Options: type = SplitOptions
    outputs: tuple[str, ...] = tuple(f"-{name}" for name in NAMES)
    group: DerivationGroup = SPLITS
    follows: tuple[str, ...] = (RESULTS,)
    rank: int = 8

    def derive(self, source: Source, options: SplitOptions, *, seed: int, tally: Tally) -> Derived:
        """Every example under its split, in the order of the source; examples that overlap with train are dropped."""
        questions = _questions(source, options.source_field)
        units = [question.unit() for question in questions.values()]
        dev, test = (round(len(units) * share) for share in (options.dev, options.test))
        sizes = {"dev": min(dev, len(units)), "test": min(test, len(units) - dev)}
        names = split(units, **sizes, rng=random.Random(seed), tick=tally.tick)
        tally.figures |= _figures(list(questions.values()), names)
        of = dict(zip(questions, names, strict=True))
        leaks = _LeakedSupports(
            {key for unit, name in zip(units, names, strict=True) if name in NAMES[1:] for key in unit.keys}
        )
        for example in source.examples():
            tally.read += 1
            name = of[_together(example)]
            if name == REMOVED:
                tally.drop("it would share a single-hop question, an answer or a supporting paragraph with train")
            else:
                tally.kept += 1
                if name == "train":
                    leaks.add(example)
                yield f"-{name}", example
        tally.figures["supporting paragraphs of dev and test"] = leaks.figures()


@dataclass
class _LeakedSupports:
    """Supporting paragraphs of dev and test that occur as distractors in contexts of train.

    Contexts built after splitting leave them out; contexts built before may have them.
    """

    keys: set[str]
    leaked: set[str] = field(default_factory=set)
    contexts: int = 0

    def add(self, example: Example) -> None:
        here = {key for paragraph in distracting(example) if (key := paragraph_key(paragraph)) in self.keys}
        self.leaked |= here
        self.contexts += bool(here)

    def figures(self) -> dict[str, int]:
        number = sum(key.startswith("paragraph:") for key in self.keys)
        return {
            "different ones": number,
            "distractors in train": len(self.leaked),
            "contexts of train with such a distractor": self.contexts,
        }


def _together(example: Example) -> str:
    return example.group or example.id


def _questions(source: Source, source_field: str) -> dict[str, _Question]:
    """The questions by the key that keeps their examples in one split (`_together`), in order."""
    questions: dict[str, _Question] = {}
    for example in source.examples():
        origin = _origin(example.extra.get(source_field))
        question = questions.setdefault(_together(example), _Question(set(), str(len(example.hops) or 1), origin))
        question.keys.update(keys(example))
    return questions


def _origin(value: object) -> str:
    """The source in `extra` (a text, or one for each hop) as one text that names each source once."""
    if isinstance(value, list | tuple):
        return ", ".join(sorted({str(each) for each in value if each != ""}))
    return "" if value is None else str(value)


def _figures(questions: Sequence[_Question], names: Sequence[str]) -> dict[str, Any]:
    """Sizes, mixes and the overlap that is left, in questions (twins count once)."""
    parts: dict[str, list[_Question]] = {name: [] for name in (*NAMES, REMOVED)}
    for question, name in zip(questions, names, strict=True):
        parts[name].append(question)
    units = {name: [question.unit() for question in part] for name, part in parts.items()}
    return {
        "questions": {name or "removed": _mixes(part) for name, part in parts.items()},
        "overlap of dev and test with train": _overlap(units["dev"] + units["test"], units["train"]),
        "overlap of dev with test": _overlap(units["dev"], units["test"]),
        "overlap of test with dev": _overlap(units["test"], units["dev"]),
    }


def _mixes(part: Sequence[_Question]) -> dict[str, Any]:
    hops = Counter(question.hops for question in part)
    sources = Counter(question.source for question in part if question.source)
    mixes: dict[str, Mapping[str, int]] = {"hops": dict(sorted(hops.items()))}
    return {"number": len(part)} | mixes | ({"sources": dict(sorted(sources.items()))} if sources else {})


_SORTS = {
    "id": "hop ids",
    "question": "single-hop questions",
    "answer": "answers",
    "paragraph": "supporting paragraphs",
}


def _overlap(units: Sequence[Unit], others: Sequence[Unit]) -> dict[str, Any]:
    """The number of units that overlap with others, and of shared keys of each sort."""
    number, sorts = shared(units, others)
    return {"questions that overlap": number, "questions in all": len(units)} | {
        says: sorts[sort] for sort, says in _SORTS.items()
    }


DERIVATION = Splits()
