"""`composable-pairs`: pairs of single-hop questions with a bridge entity between them; `graphs`: graphs of two to four
hops from these pairs or from single-hop questions.

The tally of pairs reads questions, and keeps and drops candidates: a head and a tail of one entity. That of graphs
counts the source's examples as read, and the examined candidates as kept or dropped; its figures have the number of
candidates of each shape.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from annotation.derivations.base import (
    GRAPHS,
    PAIRS,
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Source,
    Tally,
    needs_singles,
    needs_singles_or_pairs,
)
from annotation.pure.data import provenance
from annotation.pure.data.dag import SHAPES
from annotation.pure.data.example import JSON, Example, Hop
from annotation.pure.derivations.bridges import masked
from annotation.pure.derivations.composable_pairs import KNOWN_BRIDGES, PER_ENTITY, TAIL_QUESTION, Index
from annotation.pure.derivations.composition_graphs import (
    LOOKS,
    Caps,
    Choice,
    Drafting,
    Graph,
    GraphRequest,
    Limits,
    choose,
)
from annotation.pure.derivations.question_network import Network
from annotation.pure.derivations.single_hop import ORIGIN, Single, as_single_hop, numbered, part_groups, sources
from annotation.pure.setting_fields import Flaw, setting
from annotation.pure.text.masking import resolved
from annotation.pure.text.named_entities import EntityCheck, PlainCheck
from annotation.pure.text.translation_marks import gettext_noop


def per_entity_option(**about: Any) -> Any:
    return setting(
        PER_ENTITY,
        label=gettext_noop("Maximum number of pairs per bridge entity"),
        help=gettext_noop("Drawn with the seed. 0 keeps all."),
        least=0,
        most=100_000_000,
        **about,
    )


def whole_names_option(**about: Any) -> Any:
    return setting(
        True,
        label=gettext_noop("Match whole names only"),
        help=gettext_noop("Ignores mentions inside a longer name: “York” is not found in “New York”."),
        **about,
    )


@dataclass(frozen=True)
class PairOptions:
    per_entity: int = per_entity_option()
    whole_names: bool = whole_names_option()


class _Composition(Derivation):
    """`check` replaces the default check of entities in single-hop questions, which uses spelling only."""

    def __init__(self, check: EntityCheck | None = None) -> None:
        self._check = check

    def related(self, example: Example) -> Iterator[tuple[str, str]]:
        return ((example.group, part) for part in part_groups(example))


class ComposablePairs(_Composition):
    how: str = "composable-pairs"
    title: str = gettext_noop("Composable pairs")
    does: str = gettext_noop(
        "Finds pairs of single-hop questions in which the second question names the answer of the first, "
        "their bridge entity."
    )
    suffix: str = "pairs"
    Options: type = PairOptions
    group: DerivationGroup = PAIRS
    follows: tuple[str, ...] = ("singlehop",)
    rank: int = 2

    source_problem = staticmethod(needs_singles)

    def derive(self, source: Source, options: PairOptions, *, seed: int, tally: Tally) -> Derived:
        """Two-hop Examples, entity by entity. Raises CannotDerive if the source is not single-hop."""
        check = self._check or PlainCheck(whole_names=options.whole_names)
        index = Index(singles_of(source), check, nested=not options.whole_names, tick=tally.tick)
        tally.read = source.size
        tally.figures |= index_figures(index)
        for pair in index.pairs(seed=seed, dropped=tally.dropped, per_entity=options.per_entity):
            tally.kept += 1
            yield "", index.example(pair)


def singles_of(source: Source) -> Iterator[Single]:
    """The questions of a single-hop dataset, with integers as ids. Raises CannotDerive for other datasets."""
    return numbered(_singles(source))


def _singles(source: Source) -> Iterator[Single]:
    seen: set[str] = set()
    for example in source.examples():
        question = "it has a decomposition" if example.hops else as_single_hop(example)
        if isinstance(question, str):
            raise CannotDerive(f"{example.id} is no single-hop question: {question}. Derive with `singlehop` first")
        if question.id in seen:
            raise CannotDerive(f"two questions have the id {question.id}. Derive with `singlehop` first")
        seen.add(question.id)
        yield question


def index_figures(index: Index) -> dict[str, object]:
    entities = list(index.entities())
    heads = {head for entity in entities for head in entity.heads}
    tails = {tail for entity in entities for tail in entity.tails}
    return {
        "questions": len(index.singles),
        "entities": len(entities),
        "candidates": sum(entity.candidates for entity in entities),
        "heads": len(heads),
        "tails": len(tails),
        "refused": dict(sorted(index.refused.items())),
    }


AUTO = -1  # of a limit: the paper's, or none if the questions are MuSiQue's own


_REUSE = gettext_noop("Limits on reuse")
_LENGTH = gettext_noop("Limits on question length")
_PAIRS = gettext_noop("Matching of pairs")
_SEARCH = gettext_noop("Limits of the search")


def _tokens(label: str, limit: int) -> Any:
    """A limit of tokens; `limit` is the paper's."""
    about = gettext_noop(
        "Leave empty for the paper's limit, %(limit)d; questions from MuSiQue have no limit. 0 means no limit."
    )
    more = {"least": 0, "most": 10_000, "blank": AUTO, "values": {"limit": limit}}
    return setting(AUTO, label=label, help=about, group=_LENGTH, **more)


def _reuse(default: int, label: str) -> Any:
    return setting(
        default, label=label, help=gettext_noop("0 means no limit."), least=0, most=100_000_000, group=_REUSE
    )


def _mix_flaws(mix: str) -> Iterator[Flaw]:
    shares = _shares(mix)
    if wrong := [shape for shape, share in shares.items() if shape not in SHAPES or not 0 <= share < float("inf")]:
        text = gettext_noop("“%(shape)s” is no share of a shape. Give %(shapes)s=1, or some of them.")
        yield Flaw(text, {"shape": wrong[0], "shapes": "=1,".join(SHAPES)})
    elif not any(shares.values()):
        yield Flaw(gettext_noop("There is no shape at all in it. Give one of them a share above 0."))


@dataclass(frozen=True)
class GraphOptions:
    """`mix`: "2hop=4,3hop1=2", shares of the shapes, others are not made; "": equal shares of all six."""

    count: int = setting(
        0,
        label=gettext_noop("Number of graphs"),
        help=gettext_noop("0 makes as many as possible."),
        least=0,
        most=100_000_000,
    )
    mix: str = setting(
        "",
        label=gettext_noop("Target mix of shapes"),
        help=gettext_noop(
            "Relative shares: 4, 2, 2, 1, 1, 1 gives four 2-hop graphs for each graph of the last shape. 0 "
            "makes none of a shape. If a shape runs out, the others take its share."
        ),
        kind="mix",
        check=_mix_flaws,
        shapes=tuple(SHAPES),
    )
    entity_graphs: int = _reuse(25, gettext_noop("Maximum number of graphs with the same bridge entity"))
    question_graphs: int = _reuse(100, gettext_noop("Maximum number of graphs with the same single-hop question"))
    hop_tokens: int = _tokens(gettext_noop("Maximum tokens per hop"), 10)
    two_hop_tokens: int = _tokens(gettext_noop("Maximum tokens for 2 hops together"), 15)
    three_hop_tokens: int = _tokens(gettext_noop("Maximum tokens for 3 hops together"), 15)
    four_hop_tokens: int = _tokens(gettext_noop("Maximum tokens for 4 hops together"), 20)
    per_entity: int = per_entity_option(group=_PAIRS, singles=True)
    whole_names: bool = whole_names_option(group=_PAIRS, singles=True)
    looks: int = setting(
        LOOKS, label=gettext_noop("Maximum number of candidates per shape"), least=1, most=1_000_000_000, group=_SEARCH
    )


class Graphs(_Composition):
    how: str = "graphs"
    title: str = gettext_noop("Graphs")
    does: str = gettext_noop(
        "Joins pairs into graphs of two to four hops, in six shapes. Workers then compose one question from each graph."
    )
    suffix: str = "graphs"
    Options: type = GraphOptions
    group: DerivationGroup = GRAPHS
    follows: tuple[str, ...] = ("composable-pairs", "disconnection-filter")
    rank: int = 5

    source_problem = staticmethod(needs_singles_or_pairs)

    def derive(self, source: Source, options: GraphOptions, *, seed: int, tally: Tally) -> Derived:
        """Examples without a question, in the order in which they were drawn. Raises CannotDerive."""
        shares = _shares(options.mix)
        network, steps = self._network(source, options, seed=seed, tally=tally)
        drafting = Drafting(network, _limits(options, source.format))
        caps = Caps(options.entity_graphs, options.question_graphs)
        request = GraphRequest(shares, options.count, options.looks)
        choice = choose(network, drafting, request=request, caps=caps, seed=seed, tick=tally.tick)
        _report(choice, tally)
        for graph in choice.graphs:
            example = drafting.example(graph)
            yield "", replace(example, extra=provenance.appended(example.extra, *_steps_along(graph, steps)))

    def _network(
        self, source: Source, options: GraphOptions, *, seed: int, tally: Tally
    ) -> tuple[Network, dict[tuple[int, int], list[JSON]]]:
        """The network, and the provenance of each pair."""
        tally.read = source.size
        first = next(source.examples(), None)
        if first is None or not first.hops:
            check = self._check or PlainCheck(whole_names=options.whole_names)
            index = Index(singles_of(source), check, nested=not options.whole_names, tick=tally.tick)
            pairs = list(index.pairs(seed=seed, dropped=Counter(), per_entity=options.per_entity))
            tally.figures |= index_figures(index) | {"pairs": len(pairs)}
            return Network(index.singles, pairs), {}
        nodes = _Nodes()
        edges = [nodes.edge(example) for example in source.examples() if not _known_to_differ(example, tally)]
        tally.figures |= {"questions": len(nodes.singles), "pairs": len(edges)}
        return Network(list(numbered(nodes.singles)), edges), nodes.steps


def _steps_along(graph: Graph, steps: dict[tuple[int, int], list[JSON]]) -> list[JSON]:
    """The provenance of the pairs along the graph's edges, each step once."""
    lineages = [steps.get((graph.nodes[j - 1], graph.nodes[i - 1]), []) for j, i in SHAPES[graph.shape]]
    return provenance.joined(lineages)


def _known_to_differ(example: Example, tally: Tally) -> bool:
    """Whether workers judged that a pair's two mentions are different entities; such pairs are counted as dropped."""
    known = example.extra.get(KNOWN_BRIDGES)
    differs = isinstance(known, list | tuple) and "different" in known
    if differs:
        tally.drop("people found that the pair's mentions mean different entities")
    return differs


class _Nodes:
    """The single-hop questions of pairs, each once by its id."""

    def __init__(self) -> None:
        self.singles: list[Single] = []
        self.steps: dict[tuple[int, int], list[JSON]] = {}  # the provenance of pairs that have one
        self._places: dict[str, int] = {}

    def edge(self, example: Example) -> tuple[int, int]:
        """The positions of a pair's head and tail. Raises CannotDerive."""
        head, tail = (self._place(single) for single in _singles_of_pair(example))
        if steps := provenance.steps_of(example.extra):
            self.steps[head, tail] = steps
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
    (head_source, tail_source), (head_origin, tail_origin) = sources(example), sources(example, key=ORIGIN)
    first = _single(example, head, head.question, (head.answer,))
    second = _single(example, tail, _tail_question(example), aliases)
    return (
        replace(first, source=head_source, origin=head_origin),
        replace(second, source=tail_source, origin=tail_origin),
    )


def _single(example: Example, hop: Hop, question: str, answers: tuple[str, ...]) -> Single:
    if hop.id is None or hop.support is None or not 0 <= hop.support < len(example.paragraphs):
        raise CannotDerive(f"{example.id} has a hop without an id or without its paragraph. Take pairs that have both")
    return Single(str(hop.id), question, answers, example.paragraphs[hop.support])


def _tail_question(example: Example) -> str:
    """The tail's question without references, because another entity in it may become a reference too."""
    head, tail = example.hops
    kept = example.extra.get(TAIL_QUESTION)
    if isinstance(kept, str) and masked(kept, [(head.answer, 1)]) == tail.question:
        return kept
    return resolved(tail.question, example.hops)


def _shares(mix: str) -> dict[str, float]:
    if not mix.strip():
        return dict.fromkeys(SHAPES, 1.0)
    parts = (part.partition("=") for part in mix.split(","))
    return {shape.strip(): _share(share) for shape, _, share in parts}


def _share(text: str) -> float:
    """A share; negative if it is none."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def _limits(options: GraphOptions, format: str) -> Limits:
    usual = Limits.none() if format == "musique" else Limits()
    wished = {2: options.two_hop_tokens, 3: options.three_hop_tokens, 4: options.four_hop_tokens}
    total = {hops: usual.total.get(hops, 0) if most == AUTO else most for hops, most in wished.items()}
    return Limits(usual.hop if options.hop_tokens == AUTO else options.hop_tokens, total)


def _report(choice: Choice, tally: Tally) -> None:
    counts = Counter(graph.shape for graph in choice.graphs)
    tally.kept = len(choice.graphs)
    tally.dropped.update(choice.dropped)
    tally.figures["shapes"] = {
        shape: {"candidates": size, "looked_at": choice.looked_at[shape], "graphs": counts[shape]}
        for shape, size in choice.candidates.items()
    }


DERIVATION = ComposablePairs(), Graphs()
