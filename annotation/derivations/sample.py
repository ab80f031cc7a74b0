"""`sample`: a random sample of `count` items or whole groups, fixed by the seed."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from random import Random

from annotation.derivations.base import Derivation, Derived, Source, Tally
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop

GROUPS, ITEMS = "groups", "items"
ANY, HOPS, SHAPE = "no", "hops", "shape"


@dataclass(frozen=True)
class SampleOptions:
    """`count` of `unit`; with `strata` each number of hops, or shape, keeps its share."""

    count: int = setting(125, label=gettext_noop("Sample size"), least=1, most=1_000_000_000)
    unit: str = setting(
        GROUPS,
        label=gettext_noop("Sampling unit"),
        help=gettext_noop("An item without a group counts as a group of its own."),
        choices={
            GROUPS: gettext_noop("whole groups: twins, pairs and variants of a question stay together"),
            ITEMS: gettext_noop("single items"),
        },
    )
    strata: str = setting(
        ANY,
        label=gettext_noop("Stratify by"),
        choices={
            ANY: gettext_noop("nothing"),
            HOPS: gettext_noop("number of hops"),
            SHAPE: gettext_noop("shape or type of question"),
        },
    )


class Sample(Derivation):
    how: str = "sample"
    title: str = gettext_noop("Sample")
    does: str = gettext_noop("Draws a random sample of items or groups.")
    suffix: str = "sample"
    Options: type = SampleOptions
    rank: int = 9

    def derive(self, source: Source, options: SampleOptions, *, seed: int, tally: Tally) -> Derived:
        """The drawn examples in the order of the source; all examples if there are no more units than `count`."""
        strata: dict[Hashable, str] = {}  # of each unit, by its first example
        for position, example in enumerate(source.examples()):
            strata.setdefault(_unit(example, position, options), _stratum(example, options))
        drawn = _drawn(strata, options.count, rng=Random(seed))
        tally.figures |= {options.unit: len(strata), "drawn": len(drawn)}
        if options.strata != ANY:
            sizes, sampled = Counter(strata.values()), Counter(strata[unit] for unit in drawn)
            tally.figures["strata"] = {name: {"there": sizes[name], "drawn": sampled[name]} for name in sorted(sizes)}
        for position, example in enumerate(source.examples()):
            tally.read += 1
            if _unit(example, position, options) in drawn:
                tally.kept += 1
                yield "", example
            else:
                tally.drop("it was not drawn")


def _unit(example: Example, position: int, options: SampleOptions) -> Hashable:
    return position if options.unit == ITEMS else example.group or example.id


def _stratum(example: Example, options: SampleOptions) -> str:
    if options.strata == ANY:
        return ""
    return str(len(example.hops)) if options.strata == HOPS else example.shape or "–"


def _drawn(strata: Mapping[Hashable, str], count: int, *, rng: Random) -> set[Hashable]:
    """A stratified sample of units. Quotas are rounded by largest remainders; ties are broken at random."""
    by_stratum: dict[str, list[Hashable]] = {}
    for unit, name in strata.items():
        by_stratum.setdefault(name, []).append(unit)
    wanted = min(count, len(strata))
    exact = {name: wanted * len(units) / len(strata) for name, units in sorted(by_stratum.items())}
    quotas = {name: int(share) for name, share in exact.items()}
    order = sorted(rng.sample(list(exact), len(exact)), key=lambda name: quotas[name] - exact[name])
    for name in order[: wanted - sum(quotas.values())]:
        quotas[name] += 1
    return {unit for name, quota in quotas.items() for unit in rng.sample(by_stratum[name], quota)}


DERIVATION = Sample()
