"""`withhold`: each question without some of its supporting paragraphs (people: Min et al. 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from annotation.derivations.base import Derivation, Derived, Source, Tally, needs_supports
from annotation.pure.data.example import Example, reduced
from annotation.pure.data.provenance import BACK_DECOMPOSITION
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop


@dataclass(frozen=True)
class WithholdOptions:
    """`keep`: how many supporting paragraphs stay; `uncited`: those that people cited stay instead."""

    keep: int = setting(
        1,
        label=gettext_noop("Supporting paragraphs that stay"),
        help=gettext_noop("Drawn with the seed. Questions that have no more of them are left out."),
        least=0,
    )
    uncited: bool = setting(
        False,
        label=gettext_noop("Withhold those that workers did not cite"),
        help=gettext_noop("For datasets from results of “Decompose questions”: only under-cited questions are kept."),
    )


class Withhold(Derivation):
    how: str = "withhold"
    title: str = gettext_noop("Withhold supporting paragraphs")
    does: str = gettext_noop("Leaves out all but some of each question's supporting paragraphs.")
    suffix: str = "withheld"
    Options: type = WithholdOptions
    rank: int = 15
    alters: bool = True

    source_problem = staticmethod(needs_supports)

    def derive(self, source: Source, options: WithholdOptions, *, seed: int, tally: Tally) -> Derived:
        """A question with its other paragraphs in their order, under its id, so that nobody meets it twice."""
        for example in source.examples():
            tally.read += 1
            supports = sorted(set(example.supports or ()))
            if reason := _drop_reason(example, supports, options):
                tally.drop(reason)
                continue
            if options.uncited:
                kept = example.extra[BACK_DECOMPOSITION]["cited"]
            else:
                kept = Random(f"{seed}/{example.id}").sample(supports, options.keep)
            withheld = set(supports) - set(kept)
            tally.kept += 1
            yield "", reduced(example, [k for k in range(len(example.paragraphs)) if k not in withheld])


def _drop_reason(example: Example, supports: Sequence[int], options: WithholdOptions) -> str:
    if example.answerable is False:
        return "it is unanswerable already"
    if example.supports is None:
        return "its supporting paragraphs are not known"
    if options.uncited:
        found = example.extra.get(BACK_DECOMPOSITION)
        under_cited = isinstance(found, dict) and found.get("status") == "under_cited"
        return "" if under_cited else "it is not under-cited"
    if len(supports) <= options.keep:
        return "it has no supporting paragraph to withhold"
    return "" if len(example.paragraphs) > len(supports) - options.keep else "no paragraph would stay"


DERIVATION = Withhold()
