"""`contexts`: puts every composed question among distractors (S6 of MuSiQue's pipeline)."""

import random
from dataclasses import dataclass

from annotation.derivations.base import CONTEXTS, DerivationGroup, Derived, Source, Tally
from annotation.derivations.pooling import PoolDerivation, PoolOptions, chosen_pool
from annotation.pure.data.example import Example
from annotation.pure.derivations.context_building import SIZE, NoContext, distracting, states_answer, with_context
from annotation.pure.setting_fields import setting
from annotation.pure.text.bm25 import same_text
from annotation.pure.text.translation_marks import gettext_noop

ANSWERING, FOREIGN = "that state the final answer", "that support a question of another split"


@dataclass(frozen=True)
class ContextOptions(PoolOptions):
    """The pool, and the size of a context."""

    paragraphs: int = setting(
        SIZE,
        label=gettext_noop("Paragraphs per context"),
        help=gettext_noop("Supporting paragraphs and distractors together."),
        least=1,
        most=1000,
    )


class Contexts(PoolDerivation):
    how: str = "contexts"
    title: str = gettext_noop("Contexts")
    does: str = gettext_noop(
        "Adds BM25 distractors to each question's supporting paragraphs (query: the hop questions, answers removed)."
    )
    suffix: str = "contexts"
    Options: type = ContextOptions
    group: DerivationGroup = CONTEXTS
    follows: tuple[str, ...] = ("splits",)
    rank: int = 6

    def derive(self, source: Source, options: ContextOptions, *, seed: int, tally: Tally) -> Derived:
        """Every example that has hops, in a new context; the others are dropped with the reason."""
        pool, others = chosen_pool(source, options, tally=tally)
        tally.figures |= {"paragraphs": options.paragraphs, "shorter contexts": 0}
        tally.figures["distractors"] = {kind: {"distractors": 0, "contexts": 0} for kind in (ANSWERING, FOREIGN)}
        for example in source.examples():
            tally.read += 1
            rng = random.Random(f"{seed}/{example.id}/{example.answerable}")
            try:
                built = with_context(example, pool, size=options.paragraphs, rng=rng)
            except NoContext as reason:
                tally.drop(str(reason))
                continue
            tally.kept += 1
            tally.figures["shorter contexts"] += len(built.paragraphs) < options.paragraphs
            _count(built, others, tally)
            yield "", built


def _count(built: Example, others: set[str], tally: Tally) -> None:
    """Count distractors that state the final answer, and distractors that support a question of another split."""
    distractors = distracting(built)
    counts = {
        ANSWERING: sum(states_answer(paragraph, built) for paragraph in distractors),
        FOREIGN: sum(same_text(paragraph) in others for paragraph in distractors),
    }
    for kind, number in counts.items():
        tally.figures["distractors"][kind]["distractors"] += number
        tally.figures["distractors"][kind]["contexts"] += number > 0


DERIVATION = Contexts()
