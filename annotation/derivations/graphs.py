"""`--how graphs`: graphs of two to four hops out of composable pairs, or out of single-hop questions.

The tally reads the examples of the source, and keeps and drops the candidates that were looked at; the figures
say how many candidates there are of each shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.derivations.base import CannotDerive, Source, Tally
from annotation.derivations.composable_pairs import index_figures, singles_of
from annotation.pure.bridges import masked
from annotation.pure.composing import PER_ENTITY, TAIL_QUESTION, Index
from annotation.pure.dag import SHAPES
from annotation.pure.entities import EntityCheck, PlainCheck
from annotation.pure.example import Example, Hop
from annotation.pure.graph_choice import LOOKS, Choice, Wish, choose
from annotation.pure.graphs import Caps, Drafting, Limits
from annotation.pure.masking import resolved
from annotation.pure.network import Network
from annotation.pure.singlehop import Single

AUTO = -1  # of a limit: the paper's, or none where the questions are MuSiQue's own


@dataclass(frozen=True)
class GraphOptions:
    count: int = 0  # 0: all that fit
    mix: str = ""  # "2hop=4,3hop1=2": shares of the shapes, others are not made; "": equal shares of all six
    entity_graphs: int = 25  # in how many graphs a bridge entity may be; 0: any number
    question_graphs: int = 100  # in how many graphs a single-hop question may be; 0: any number
    hop_tokens: int = AUTO  # of a hop; 0: no limit
    two_hop_tokens: int = AUTO  # of all hops together
    three_hop_tokens: int = AUTO
    four_hop_tokens: int = AUTO
    per_entity: int = PER_ENTITY  # pairs of an entity, where the source holds single-hop questions; 0: all
    whole_names: bool = True  # no mention inside a longer name, where the source holds single-hop questions
    looks: int = LOOKS  # candidates of a shape that are looked at, at most


class Graphs:
    """`check` replaces the check of entities, where the source holds single-hop questions."""

    how: str = "graphs"
    title: str = "Graphs of two to four hops, to be composed"
    Options: type = GraphOptions
    outputs: tuple[str, ...] = ("",)

    def __init__(self, check: EntityCheck | None = None) -> None:
        self._check = check

    def derive(
        self, source: Source, options: GraphOptions, *, seed: int, tally: Tally
    ) -> Iterator[tuple[str, Example]]:
        """Examples without a question, in the order in which they were drawn. Raises CannotDerive."""
        shares = _shares(options.mix)
        _refuse_negative(options)
        network = self._network(source, options, seed=seed, tally=tally)
        drafting = Drafting(network, _limits(options, source.format))
        caps = Caps(options.entity_graphs, options.question_graphs)
        wish = Wish(shares, options.count, options.looks)
        choice = choose(network, drafting, wish=wish, caps=caps, seed=seed)
        _report(choice, tally)
        for graph in choice.graphs:
            yield "", drafting.example(graph)

    def _network(self, source: Source, options: GraphOptions, *, seed: int, tally: Tally) -> Network:
        tally.read = source.size
        first = next(source.examples(), None)
        if first is None or not first.hops:
            check = self._check or PlainCheck(whole_names=options.whole_names)
            index = Index(singles_of(source), check, nested=not options.whole_names)
            pairs = list(index.pairs(seed=seed, dropped=Counter(), per_entity=options.per_entity))
            tally.figures |= index_figures(index) | {"pairs": len(pairs)}
            return Network(index.singles, pairs)
        nodes = _Nodes()
        edges = [nodes.edge(example) for example in source.examples()]
        tally.figures |= {"questions": len(nodes.singles), "pairs": len(edges)}
        return Network(nodes.singles, edges)


class _Nodes:
    """The single-hop questions of pairs, each once by its id."""

    def __init__(self) -> None:
        self.singles: list[Single] = []
        self._places: dict[str, int] = {}

    def edge(self, example: Example) -> tuple[int, int]:
        """The positions of a pair's head and tail. Raises CannotDerive."""
        head, tail = (self._place(single) for single in _singles_of_pair(example))
        return head, tail

    def _place(self, single: Single) -> int:
        place = self._places.setdefault(single.id, len(self.singles))
        if place == len(self.singles):
            self.singles.append(single)
        elif len(single.answers) > len(self.singles[place].answers):
            self.singles[place] = single  # a tail knows its aliases, a head does not
        return place


def _singles_of_pair(example: Example) -> tuple[Single, Single]:
    if example.shape != "2hop" or len(example.hops) != 2:
        wanted = "Derive with `singlehop` or `composable-pairs` first"
        raise CannotDerive(f"{example.id} is neither a pair nor a single-hop question. {wanted}")
    head, tail = example.hops
    aliases = example.answers if example.answers[:1] == (tail.answer,) else (tail.answer,)
    return (
        _single(example, head, head.question, (head.answer,)),
        _single(example, tail, _tail_question(example), aliases),
    )


def _single(example: Example, hop: Hop, question: str, answers: tuple[str, ...]) -> Single:
    if hop.id is None or hop.support is None or not 0 <= hop.support < len(example.paragraphs):
        raise CannotDerive(f"{example.id} has a hop without an id or without its paragraph. Take pairs that have both")
    return Single(str(hop.id), question, answers, example.paragraphs[hop.support])


def _tail_question(example: Example) -> str:
    """The tail's question in its own words: another entity in it may become a reference too."""
    head, tail = example.hops
    kept = example.extra.get(TAIL_QUESTION)
    if isinstance(kept, str) and masked(kept, [(head.answer, 1)]) == tail.question:
        return kept
    return resolved(tail.question, example.hops)


def _shares(mix: str) -> dict[str, float]:
    if not mix.strip():
        return dict.fromkeys(SHAPES, 1.0)
    shares: dict[str, float] = {}
    for part in mix.split(","):
        shape, _, share = (piece.strip() for piece in part.partition("="))
        try:
            shares[shape] = float(share)
        except ValueError:
            shares[shape] = -1.0
        if shape not in SHAPES or not 0 <= shares[shape] < float("inf"):
            raise CannotDerive(f"{part.strip()!r} is no share of a shape. Give {'=1,'.join(SHAPES)}=1, or some of them")
    if not any(shares.values()):
        raise CannotDerive("the mix wishes for no shape at all. Give one of them a share above 0")
    return shares


def _refuse_negative(options: GraphOptions) -> None:
    for name in ("count", "entity_graphs", "question_graphs", "per_entity", "looks"):
        if getattr(options, name) < 0:
            raise CannotDerive(f"{name} is negative. Give 0 or more")
    for name in ("hop_tokens", "two_hop_tokens", "three_hop_tokens", "four_hop_tokens"):
        if getattr(options, name) < AUTO:
            raise CannotDerive(f"{name} is below -1. Give -1 for the paper's limit, 0 for none, or a number of tokens")


def _limits(options: GraphOptions, format: str) -> Limits:
    usual = Limits.none() if format == "musique" else Limits()
    wished = {2: options.two_hop_tokens, 3: options.three_hop_tokens, 4: options.four_hop_tokens}
    total = {hops: usual.total.get(hops, 0) if most == AUTO else most for hops, most in wished.items()}
    return Limits(usual.hop if options.hop_tokens == AUTO else options.hop_tokens, total)


def _report(choice: Choice, tally: Tally) -> None:
    made = Counter(graph.shape for graph in choice.graphs)
    tally.kept = len(choice.graphs)
    tally.dropped.update(choice.dropped)
    tally.figures["shapes"] = {
        shape: {"candidates": size, "looked_at": choice.looked_at[shape], "graphs": made[shape]}
        for shape, size in choice.candidates.items()
    }
