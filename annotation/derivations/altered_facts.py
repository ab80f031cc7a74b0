"""`altered-facts`: questions whose paragraphs state an altered answer, for hidden gold only."""

from dataclasses import dataclass
from itertools import islice
from random import Random

from annotation.derivations.base import Derivation, Derived, Source, Tally
from annotation.pure.derivations.altered_facts import CannotAlter, Other, altered
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop

POOL = 2000  # questions whose answers may replace a name: each is compared with each


@dataclass(frozen=True)
class AlteredFactsOptions:
    count: int = setting(
        0,
        label=gettext_noop("Number of questions"),
        help=gettext_noop("0 takes all questions that can be altered."),
        least=0,
        most=1_000_000,
    )


class AlteredFacts(Derivation):
    how: str = "altered-facts"
    title: str = gettext_noop("Altered facts")
    does: str = gettext_noop(
        "For hidden gold: replaces the answer, a number or a name, in the paragraphs. Workers who give the real answer "
        "have not read them."
    )
    suffix: str = "altered"
    Options: type = AlteredFactsOptions
    rank: int = 16
    is_for_hidden_gold: bool = True

    def derive(self, source: Source, options: AlteredFactsOptions, *, seed: int, tally: Tally) -> Derived:
        """Each question under its id with the altered answer; the others are dropped with the reason."""
        others = _others(source)
        for example in source.examples():
            if options.count and tally.kept == options.count:
                return
            tally.read += 1
            try:
                made = altered(example, others, Random(f"{seed}/{example.id}"))
            except CannotAlter as reason:
                tally.drop(str(reason))
                continue
            tally.kept += 1
            yield "", made


def _others(source: Source) -> list[Other]:
    """Answers to choose from: those of up to POOL questions, evenly spread."""
    step = max(1, source.size // POOL)
    found = [Other.of(example) for example in islice(source.examples(), 0, None, step) if example.answer]
    return list({other.answer: other for other in found}.values())


DERIVATION = AlteredFacts()
