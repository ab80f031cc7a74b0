"""Builds the context of a multihop question: its supporting paragraphs among retrieved distractors.

Trivedi et al. 2022, section 5, S6. The query is the concatenation of the single-hop questions without any
hop's answer, so that retrieval does not favour the paragraph that has it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from annotation.pure.data.example import Example, Paragraph, moved_hops
from annotation.pure.text.bm25 import Pool, same_text
from annotation.pure.text.masking import hidden, without_references
from annotation.pure.text.spans import mentions

SIZE = 20  # paragraphs, as in the paper
ALIASES = "@aliases"  # in `extra`: aliases that the context does not state, for building other contexts


class NoContext(ValueError):
    """The context cannot be built; the message is the reason, used as a counter's key."""


class Placed(NamedTuple):
    """A paragraph of a new context, with its former positions (none for a new paragraph)."""

    paragraph: Paragraph
    before: tuple[int, ...] = ()


def query(example: Example) -> str:
    """The hops' questions in a row without `#k` and without any mention of any hop's answer or of an alias."""
    answers = {hop.answer for hop in example.hops} | set(every_answer(example))
    return " ".join(hidden(without_references(hop.question), answers, mask=" ") for hop in example.hops)


def every_answer(example: Example) -> tuple[str, ...]:
    """The answer and all its aliases, including those that the current context does not state."""
    put_aside = example.extra.get(ALIASES)
    more = [alias for alias in put_aside if isinstance(alias, str)] if isinstance(put_aside, list) else []
    return tuple(dict.fromkeys([*example.answers, *more]))


def supporting(example: Example) -> list[Placed]:
    """The supporting paragraphs in order of the context, without duplicates (equal title and text).

    Raises NoContext if a hop's paragraph is not in the context.
    """
    if not example.hops:
        raise NoContext("it has no decomposition")
    if any(hop.support is None for hop in example.hops):
        raise NoContext("the paragraph of a hop is not in its context")
    positions = {hop.support for hop in example.hops if hop.support is not None} | set(example.supports or ())
    places: dict[tuple[str, str], list[int]] = {}
    for position in sorted(positions):
        paragraph = example.paragraphs[position]
        places.setdefault((paragraph.title, same_text(paragraph)), []).append(position)
    return [Placed(example.paragraphs[at[0]], tuple(at)) for at in places.values()]


def with_context(example: Example, pool: Pool, *, size: int = SIZE, rng: Random) -> Example:
    """The example in a new context of `size` paragraphs, or of as many as the pool yields.

    Its supporting paragraphs and the best ranked others of the pool, each text once, shuffled. Where fewer
    share a word with the query, others are drawn. Raises NoContext.
    """
    supports = supporting(example)
    if len(supports) > size:
        raise NoContext("it has more supporting paragraphs than the context may hold")
    used = {same_text(placed.paragraph) for placed in supports}
    paragraphs = distractors(query(example), pool, count=size - len(supports), used=used, rng=rng)
    return rearranged(example, [*supports, *map(Placed, paragraphs)], rng=rng)


def distractors(
    query: str,
    pool: Pool,
    *,
    count: int,
    used: set[str],
    rng: Random,
    rejects: Callable[[Paragraph], bool] | None = None,
    patience: int | None = None,
) -> list[Paragraph]:
    """Up to `count` paragraphs of the pool, best ranked first, then drawn ones.

    None has a text in `used` or is `rejects`; at most `patience` of the pool are looked at.
    """
    chosen: list[Paragraph] = []
    for looked, position in enumerate(_candidates(query, pool, rng)):
        if len(chosen) >= count or looked == patience:
            break
        paragraph = pool.paragraphs[position]
        if pool.texts[position] not in used and not (rejects and rejects(paragraph)):
            chosen.append(paragraph)
    return chosen


def _candidates(query: str, pool: Pool, rng: Random) -> Iterator[int]:
    ranked = []
    for position in pool.ranking(query):
        ranked.append(position)
        yield position
    seen = set(ranked)
    rest = [position for position in range(len(pool)) if position not in seen]
    rng.shuffle(rest)
    yield from rest


def rearranged(example: Example, placed: Sequence[Placed], *, rng: Random) -> Example:
    """The example with these paragraphs, shuffled; hops, supports and facts are remapped or dropped.

    Aliases that no paragraph states are moved to `extra`, because MuSiQue's files do not list them.
    """
    order = list(placed)
    rng.shuffle(order)
    moved = {before: now for now, each in enumerate(order) for before in each.before}
    hops = moved_hops(example.hops, moved)
    supports = {moved[s] for s in example.supports or () if s in moved} | {h.support for h in hops} - {None}
    facts = None
    if example.facts is not None:
        facts = tuple(sorted((moved[p], s) for p, s in example.facts if p in moved))
    paragraphs = tuple(each.paragraph for each in order)
    changed = replace(example, paragraphs=paragraphs, supports=tuple(sorted(s for s in supports if s is not None)))
    return _with_stated_aliases(replace(changed, hops=hops, facts=facts))


def distracting(example: Example) -> list[Paragraph]:
    """The paragraphs of the context that support nothing."""
    supports = set(example.supports or ()) | {hop.support for hop in example.hops}
    return [paragraph for position, paragraph in enumerate(example.paragraphs) if position not in supports]


def states_answer(paragraph: Paragraph, example: Example) -> bool:
    """Whether the paragraph or its title contains the answer or an alias, as whole words, ignoring case."""
    text = f"{paragraph.title}\n{paragraph.text}"
    return any(True for answer in example.answers for _place in mentions(answer, text))


def _with_stated_aliases(example: Example) -> Example:
    answers = every_answer(example)
    aliases = [alias for alias in answers[1:] if _states(example.paragraphs, alias)]
    aside = [alias for alias in answers[1:] if alias not in aliases]
    extra = {key: value for key, value in example.extra.items() if key != ALIASES}
    return replace(example, answers=(*answers[:1], *aliases), extra=extra | ({ALIASES: aside} if aside else {}))


def _states(paragraphs: Iterable[Paragraph], alias: str) -> bool:
    """MuSiQue's own rule: the alias occurs, in any case, also within words."""
    return any(alias.lower() in f"{each.title} {each.text}".lower() for each in paragraphs)
