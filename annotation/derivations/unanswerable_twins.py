"""`unanswerable-twins`: adds to every question the same one without the answer of a hop (S8 of MuSiQue).

Trivedi et al. 2022, section 5, S8, with the conventions of the released Full files: both twins have the same
id, question, answer and decomposition; `support` of a hop without its paragraph is None.
"""

from dataclasses import replace
from random import Random

from annotation.derivations.base import TWINS, DerivationGroup, Derived, Source, Tally
from annotation.derivations.contexts import PoolDerivation, PoolOptions, chosen_pool
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.context_building import (
    NoContext,
    Placed,
    distractors,
    every_answer,
    query,
    rearranged,
    supporting,
)
from annotation.pure.text.bm25 import Pool, same_text
from annotation.pure.text.masking import carries
from annotation.pure.text.translation_marks import gettext_noop

PATIENCE = 2000  # paragraphs of the pool to try; a hop whose answer is in most of them is given up


def answerable(example: Example) -> Example:
    """The example as the answerable one of two twins. Raises NoContext if a supporting paragraph is missing."""
    supporting(example)
    return replace(example, answerable=True, group=example.group or example.id)


def unanswerable(example: Example, pool: Pool, *, rng: Random) -> Example:
    """The twin of an answerable example, in a context of the same size without the answer of one hop.

    The hop is drawn at random, and redrawn if the pool has too few paragraphs without its answer. Paragraphs of
    the context stay where possible, so that the twins differ little; the rest is retrieved. Raises NoContext.
    """
    supporting(example)
    for hop in rng.sample(range(len(example.hops)), len(example.hops)):
        placed = _without(example, hop, pool, rng=rng)
        if len(placed) == len(example.paragraphs):
            twin = rearranged(example, placed, rng=rng)
            return replace(twin, answerable=False, group=example.group or example.id)
    raise NoContext("the pool has too few paragraphs without the answer of any hop")


def forms(example: Example, hop: int) -> tuple[str, ...]:
    """The forms of a hop's answer (0-based) that must not occur; for the last hop with aliases."""
    answer = example.hops[hop].answer
    return (answer, *every_answer(example)) if hop == len(example.hops) - 1 else (answer,)


def _without(example: Example, hop: int, pool: Pool, *, rng: Random) -> list[Placed]:
    """The context without a hop's answer, filled up from the pool as far as possible."""
    answers = forms(example, hop)

    def gives_away(paragraph: Paragraph) -> bool:
        return any(carries(f"{paragraph.title}\n{paragraph.text}", answer) for answer in answers)

    removed = {same_text(example.paragraphs[at]) for at in (example.hops[hop].support,) if at is not None}
    used = {same_text(paragraph) for paragraph in example.paragraphs}
    kept: dict[str, Placed] = {}
    for position, paragraph in enumerate(example.paragraphs):
        text = same_text(paragraph)
        if text in kept:
            kept[text] = Placed(kept[text].paragraph, (*kept[text].before, position))
        elif text not in removed and not gives_away(paragraph):
            kept[text] = Placed(paragraph, (position,))
    fillers = distractors(
        query(example),
        pool,
        count=len(example.paragraphs) - len(kept),
        used=used,
        rng=rng,
        rejects=gives_away,
        patience=PATIENCE,
    )
    return [*kept.values(), *map(Placed, fillers)]


class UnanswerableTwins(PoolDerivation):
    how: str = "unanswerable-twins"
    title: str = gettext_noop("Unanswerable twins")
    does: str = gettext_noop("Pairs each question with a copy whose context lacks the answer of one hop.")
    suffix: str = "full"
    Options: type = PoolOptions
    group: DerivationGroup = TWINS
    follows: tuple[str, ...] = ("contexts",)
    rank: int = 7

    def derive(self, source: Source, options: PoolOptions, *, seed: int, tally: Tally) -> Derived:
        """The answerable example and then its twin; both are dropped if no twin can be built."""
        pool, _others = chosen_pool(source, options, tally=tally)
        tally.figures |= {"twins": 0, "paragraphs taken out": {}}
        for example in source.examples():
            tally.read += 1
            if example.answerable is False:
                tally.drop("it is unanswerable already")
                continue
            try:
                both = answerable(example), unanswerable(example, pool, rng=Random(f"{seed}/{example.id}"))
            except NoContext as reason:
                tally.drop(str(reason))
                continue
            _count(both[1], tally)
            yield from (("", each) for each in both)


def _count(twin: Example, tally: Tally) -> None:
    tally.kept += 1
    tally.figures["twins"] += 1
    taken_out = str(sum(hop.support is None for hop in twin.hops))
    by_number = tally.figures["paragraphs taken out"]
    by_number[taken_out] = by_number.get(taken_out, 0) + 1


DERIVATION = UnanswerableTwins()
