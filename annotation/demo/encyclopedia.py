"""Vennory as Examples, and simulated answers; used by the demo and its tests.

`encyclopedia.jsonl` holds the paragraphs, `singlehop.jsonl` questions about one of them each, and
`multihop.jsonl` compositions of those in MuSiQue's six shapes (protocols of its section 3), with their distractors.
Nothing here uses a database.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from annotation.pure.data.dag import shape
from annotation.pure.data.example import JSON, Example, Hop, Paragraph
from annotation.pure.text.normalization import normalise_answer
from annotation.pure.text.spans import Span, locate

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Article:
    """An entry of the encyclopedia; `kind` is a plain noun such as "ship" or "feast"."""

    key: str
    kind: str
    title: str
    text: str

    @property
    def paragraph(self) -> Paragraph:
        return Paragraph(self.title, self.text)


@dataclass(frozen=True, slots=True)
class SingleHop:
    """A question that the article `key` answers in its own words."""

    id: int
    question: str
    answer: str
    aliases: tuple[str, ...]
    key: str

    @property
    def answers(self) -> tuple[str, ...]:
        return (self.answer, *self.aliases)


@cache
def paragraphs() -> Mapping[str, Article]:
    """Every article by its key, in the order of the file."""
    articles = (Article(**record) for record in _records("encyclopedia.jsonl"))
    return MappingProxyType({article.key: article for article in articles})


@cache
def singlehop() -> Mapping[int, SingleHop]:
    """Every single-hop question by its id, in the order of the file."""
    return MappingProxyType({record["id"]: _single(record) for record in _records("singlehop.jsonl")})


def multihop() -> tuple[JSON, ...]:
    """The records of the multihop questions as they are stored, hops and distractors by reference."""
    return tuple(_records("multihop.jsonl"))


def examples(seed: int | str) -> list[Example]:
    """The multihop questions, each in a context of ten paragraphs; the seed decides their order only."""
    return [_example(record, random.Random(f"{seed}/{record['id']}")) for record in multihop()]


def simulated_answer(example: Example, skill: float, rng: random.Random) -> JSON:
    """A simulated answer: {"text", "paragraph", "start", "end", "support"}.

    The answer is right with probability `skill` (0..1), and so, separately, is the support. Mistakes are typical ones:
    a bridge instead of the answer, a word too many or too few, a missed or additional support. Offsets are code points
    into the paragraph's text. ValueError if the example's gold is hidden or in no paragraph, as for yes/no questions.
    """
    span = _gold_span(example)
    if rng.random() >= skill:
        span = _slip(example, span, rng)
    supports = set(example.supports or ())
    if rng.random() >= skill:
        supports = _misjudged(supports, span.paragraph, count=len(example.paragraphs), rng=rng)
    return {
        "text": _text(example, span),
        "paragraph": span.paragraph,
        "start": span.start,
        "end": span.end,
        "support": sorted(supports),
    }


def _records(name: str) -> Iterator[JSON]:
    with (_HERE / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _single(record: JSON) -> SingleHop:
    aliases = tuple(record["aliases"])
    return SingleHop(record["id"], record["question"], record["answer"], aliases, record["paragraph"])


def _example(record: JSON, rng: random.Random) -> Example:
    singles = [singlehop()[hop["singlehop"]] for hop in record["hops"]]
    keys = [single.key for single in singles] + record["distractors"]
    rng.shuffle(keys)
    hops = tuple(
        Hop(hop["question"], single.answer, keys.index(single.key), single.id)
        for hop, single in zip(record["hops"], singles, strict=True)
    )
    return Example(
        id=record["id"],
        question=record["question"],
        paragraphs=tuple(paragraphs()[key].paragraph for key in keys),
        answers=(record["answer"], *record["aliases"]),
        supports=tuple(sorted(keys.index(single.key) for single in singles)),
        hops=hops,
        group=record["id"],
        shape=shape(hops),
    )


def _text(example: Example, span: Span) -> str:
    return example.paragraphs[span.paragraph].text[span.start : span.end]


def _gold_span(example: Example) -> Span:
    texts = [paragraph.text for paragraph in example.paragraphs]
    last = [hop.support for hop in example.hops[-1:] if hop.support is not None]
    for answer in example.answers:
        if span := locate(answer, texts, first=[*last, *(example.supports or ())]):
            return span
    raise ValueError(f"the answer of {example.id} stands in no paragraph")


def _slip(example: Example, span: Span, rng: random.Random) -> Span:
    """A wrong span close to the right one, wrong also by the scorer; the right one if there is none."""
    text = example.paragraphs[span.paragraph].text
    right = {normalise_answer(answer) for answer in example.answers}
    slips: list[Callable[[], Sequence[Span]]] = [
        lambda: _bridges(example),
        lambda: _longer(text, span),
        lambda: _shorter(text, span),
    ]
    rng.shuffle(slips)
    for slip in slips:
        if wrong := [other for other in slip() if normalise_answer(_text(example, other)) not in right]:
            return rng.choice(wrong)
    return span


def _bridges(example: Example) -> list[Span]:
    """The answers of the earlier hops, each in the paragraph of its hop."""
    spans = []
    for hop in example.hops[:-1]:
        if hop.support is None:
            continue
        if span := locate(hop.answer, [example.paragraphs[hop.support].text]):
            spans.append(span._replace(paragraph=hop.support))
    return spans


def _longer(text: str, span: Span) -> list[Span]:
    before = re.search(r"[^\W_][\w'’-]*\s+$", text[: span.start])
    after = re.match(r"\s+[\w'’-]*[^\W_]", text[span.end :])
    left = [span._replace(start=before.start())] if before else []
    return left + ([span._replace(end=span.end + after.end())] if after else [])


def _shorter(text: str, span: Span) -> list[Span]:
    words = list(re.finditer(r"\S+", text[span.start : span.end]))
    if len(words) < 2:
        return []
    first, last = span.start + words[1].start(), span.start + words[-2].end()
    return [span._replace(start=first), span._replace(end=last)]


def _misjudged(supports: set[int], answer_in: int, *, count: int, rng: random.Random) -> set[int]:
    """The support with one paragraph missing or too many; the answer's paragraph is never missing."""
    missed = sorted(supports - {answer_in})
    extra = sorted(set(range(count)) - supports)
    if missed and (not extra or rng.random() < 0.5):
        return supports - {rng.choice(missed)}
    return supports | {rng.choice(extra)} if extra else supports
