"""A decomposition as a payload: hops with their paragraphs, and the edges between them.

annotation.pure.data.hop_view reads the same schema: "hops" [{"question", "answer", "paragraph"}] in the order of the
dataset, with `#k`, and "edges" [{"head", "tail", "entity"}] in the order of `dag.edges`.
"""

from collections.abc import Sequence

from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.bridges import entity_key, folded, masked, mentions, tidy
from annotation.pure.derivations.composable_pairs import KNOWN_BRIDGES, TAIL_QUESTION
from annotation.tasktype import JSON, Adaptable, Comparable, Features, Simulated, TaskType, Timed


class HopsTask(Adaptable, Timed, Simulated, Comparable, TaskType):
    """The base of tasks on decompositions; payloads show hops as made below, with answers and paragraphs."""

    shows = ("answers", "hops", "paragraphs")

    def fits(self, features: Features) -> bool:
        return features.hops is None or features.hops > 1


def hops_payload(example: Example) -> JSON | None:
    """{"hops", "edges"}; None without a sound decomposition, or if a hop lacks its paragraph."""
    edges = edges_of(example.hops)
    if not edges or dag.problems(example.hops):
        return None
    if any(hop.support is None or not 0 <= hop.support < len(example.paragraphs) for hop in example.hops):
        return None
    return {"hops": [hop_json(example, hop) for hop in example.hops], "edges": edges}


def edges_of(hops: Sequence[Hop]) -> list[JSON]:
    """The edges between hops, with the answer that connects them."""
    return [{"head": j, "tail": i, "entity": hops[j - 1].answer} for j, i in dag.edges(hops)]


def hop_json(example: Example, hop: Hop) -> JSON:
    paragraph = paragraph_json(example.paragraphs[hop.support or 0])
    return {"question": hop.question, "answer": hop.answer, "paragraph": paragraph}


def paragraph_json(paragraph: Paragraph) -> JSON:
    return {"title": paragraph.title, "text": paragraph.text}


def mention_of(example: Example, edge: JSON) -> str:
    """The entity's mention in the tail's question before it became `#k`, if a pair records it; else the entity."""
    entity, kept = str(edge["entity"]), example.extra.get(TAIL_QUESTION)
    if not isinstance(kept, str) or masked(kept, [(entity, edge["head"])]) != example.hops[edge["tail"] - 1].question:
        return entity
    text = tidy(kept)
    spans = mentions(entity_key(entity), folded(text))
    return text[spans[0].start : spans[0].end] if spans else entity


def known_bridges(example: Example, edges: int) -> list[str] | None:
    """The known label of each edge ("same", "different" or ""), None if there are none."""
    known = example.extra.get(KNOWN_BRIDGES)
    if not isinstance(known, list) or len(known) != edges:
        return None
    labels = [kind if kind in ("same", "different") else "" for kind in known]
    return labels if any(labels) else None


def reading_seconds(texts: list[str], *, least: int) -> int:
    """Seconds to read the texts once at 240 words a minute and to decide."""
    return max(least, round(sum(len(text.split()) for text in texts) / 4) + 5)
