"""A decomposition for display: each hop's question in words, with entity mentions marked.

Works on a payload that shows its hops: "hops" [{"question", "answer", "paragraph": {"title", "text"}}] in the order of
the dataset and "edges" [{"head", "tail", "entity"}], hops counted from 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.pure.data.example import Hop
from annotation.pure.derivations import bridges
from annotation.pure.text import spans
from annotation.pure.text.marked_text import Mark, Part, Piece, fill_references, pieces
from annotation.pure.text.relations import in_words

ENDS = ("different", "unsure")  # judgments of a bridge after which nothing else is asked


@dataclass(frozen=True, slots=True)
class Reading:
    """A paragraph cut at its marks: bridge entities by their hop, the final answer as hop 0."""

    title: tuple[Piece, ...]
    text: tuple[Piece, ...]

    def mentions(self, hop: int) -> int:
        """The number of marked mentions of the hop's answer, title included."""
        return sum(1 for piece in (*self.title, *self.text) if piece.opens and piece.mark and piece.mark.hop == hop)


@dataclass(frozen=True, slots=True)
class HopView:
    number: int  # from 1
    question: tuple[Part, ...]
    answer: str
    final: bool
    leads_to: tuple[int, ...]  # the hops that use its answer
    reading: Reading | None  # None if the payload has no paragraph

    @property
    def uses(self) -> bool:
        """Whether the question names the answer of another hop by its number."""
        return any(part.hop for part in self.question)


@dataclass(frozen=True, slots=True)
class Bridge:
    """An edge of the decomposition: its entity is the head's answer and is mentioned in the tail's question."""

    number: int  # from 1
    entity: str
    head: HopView
    tail: HopView


def hop_views(payload: Mapping[str, Any]) -> list[HopView]:
    """Every hop of the payload, with its own answer and the answers of the hops it uses marked."""
    numbers, edges = range(1, len(payload["hops"]) + 1), payload.get("edges", ())
    return [_view(payload, k, {k} | {edge["head"] for edge in edges if edge["tail"] == k}) for k in numbers]


def bridge_views(payload: Mapping[str, Any]) -> list[Bridge]:
    """Every edge with nothing marked in its paragraphs but the entity that is asked about."""
    return [
        Bridge(
            number,
            edge["entity"],
            _view(payload, edge["head"], {edge["head"]}, bridging=True),
            _view(payload, edge["tail"], {edge["head"]}, bridging=True),
        )
        for number, edge in enumerate(payload.get("edges", ()), 1)
    ]


def supports_of(payload: Mapping[str, Any]) -> list[Reading]:
    """The paragraphs of a payload that lists them separately from its hops, with the answers of all hops marked."""
    last = len(payload["hops"])
    answers = {number: hop["answer"] for number, hop in enumerate(payload["hops"], 1)}
    return [_reading(paragraph, answers, last) for paragraph in payload["paragraphs"]]


def stage(judgments: Sequence[str]) -> tuple[str, int]:
    """The stage of a composition: ("judging" | "aside", number of the bridge) or ("writing", 0)."""
    for number, judgment in enumerate(judgments, 1):
        if judgment != "same":
            return ("aside" if judgment in ENDS else "judging"), number
    return "writing", 0


def places(entity: str, text: str) -> list[tuple[int, int]]:
    """(start, end) of an entity's mentions; without its article or in the plural only if there is no exact mention."""
    exact = list(spans.mentions(entity, text))
    loose = () if exact else bridges.mentions(bridges.entity_key(entity), bridges.folded(text))
    return exact or [(mention.start, mention.end) for mention in loose]


def _view(payload: Mapping[str, Any], number: int, marked: Iterable[int], *, bridging: bool = False) -> HopView:
    hops = [Hop(hop["question"], hop["answer"]) for hop in payload["hops"]]
    own, final = payload["hops"][number - 1], number == len(hops)
    answers = {k: hops[k - 1].answer for k in marked}
    last = number if final and not bridging else 0
    paragraph = own.get("paragraph")
    return HopView(
        number,
        tuple(fill_references(in_words(own["question"]), hops[: number - 1])),
        own["answer"],
        final,
        tuple(edge["tail"] for edge in payload.get("edges", ()) if edge["head"] == number),
        paragraph and _reading(paragraph, answers, last),
    )


def _reading(paragraph: Mapping[str, str], answers: Mapping[int, str], last: int) -> Reading:
    title, text = paragraph.get("title", ""), paragraph["text"]
    cut = (tuple(pieces(part, marks=_marks(part, answers, last))) for part in (title, text))
    return Reading(*cut)


def _marks(text: str, answers: Mapping[int, str], last: int) -> Iterator[Mark]:
    for hop, answer in answers.items():
        yield from (Mark(start, end, 0 if hop == last else hop) for start, end in places(answer, text))
