"""Reduce an Example to some of its paragraphs; supports, facts and hops are adjusted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.pure.data.example import Example, Hop, Paragraph

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
