"""`dire-*` and `nmf-*`: every question in contexts without some of its supporting paragraphs (DiRe; NMF).

The seven derivations differ only in the paragraphs kept (annotation.pure.derivations.support_removal).
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotation.derivations.base import DIRE, NMF, Derivation, DerivationGroup, Derived, Source, Tally, needs_supports
from annotation.pure.data.example import OUTSIDE, Example, reduced, with_distinct_titles
from annotation.pure.derivations.support_removal import (
    INSUFFICIENT,
    SUFFICIENT,
    TRANSFORMS,
    Context,
    Instance,
    TooSmall,
    numbers,
)
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop

PAPER, RELEASED = "paper", "released"  # which facts a row of a probe is labelled with
ALL_ROWS, TRAIN = "no", "train"  # whether rows are drawn so that both labels are as frequent
SUFFICIENCY, SUB_IDX = "sufficiency", "sub_idx"  # in `extra`, and in the files


@dataclass(frozen=True)
class RemovalOptions:
    """`min_paragraphs`: questions with fewer are left out; 0: only contexts too small for the transform."""

    min_paragraphs: int = setting(
        0,
        label=gettext_noop("Minimum number of paragraphs per context"),
        help=gettext_noop("0 leaves out only contexts that are too small for the transform. DiRe's authors used 5."),
        least=0,
    )


@dataclass(frozen=True)
class ProbeOptions(RemovalOptions):
    """With the choice of labels."""

    labels: str = setting(
        PAPER,
        label=gettext_noop("Supporting facts in each row"),
        help=gettext_noop(
            "The paper lists the facts that remain in a row's context; DiRe's released files list the "
            "removed ones. Both give the same score. Choose the released form for models trained on the "
            "released files."
        ),
        choices={
            PAPER: gettext_noop("remaining facts, as in the paper"),
            RELEASED: gettext_noop("removed facts, as in the released files"),
        },
    )


@dataclass(frozen=True)
class TransformOptions(RemovalOptions):
    """With the choice of rows for training."""

    balanced: str = setting(
        ALL_ROWS,
        label=gettext_noop("Rows per question"),
        help=gettext_noop("Scoring requires all rows. The released training files have two rows per question."),
        choices={
            ALL_ROWS: gettext_noop("all"),
            TRAIN: gettext_noop("two for training: one with label 0 and one without, drawn at random"),
        },
    )


@dataclass(frozen=True)
class ProbeOfTransformOptions(TransformOptions, ProbeOptions):
    """With both choices."""


@dataclass
class SupportRemoval(Derivation):
    """A derivation that puts each question into the contexts of `TRANSFORMS[how]`."""

    how: str
    title: str
    does: str
    suffix: str
    Options: type = RemovalOptions
    group: DerivationGroup = DIRE
    rank = 12
    alters = True

    source_problem = staticmethod(needs_supports)

    def derive(self, source: Source, options: RemovalOptions, *, seed: int, tally: Tally) -> Derived:
        """All instances of a question in a row, under its id and as one group."""
        tally.figures |= {"questions": 0, "instances of a question": {}}
        for example in source.examples():
            tally.read += 1
            if reason := _drop_reason(example, options):
                tally.drop(reason)
                continue
            try:
                instances = list(self.instances(example, options, seed=seed))
            except TooSmall as reason:
                tally.drop(str(reason))
                continue
            _count(instances, tally)
            yield from (("", each) for each in instances)

    def instances(self, example: Example, options: RemovalOptions, *, seed: int) -> Iterator[Example]:
        """The question in its contexts. Raises TooSmall."""
        key = f"{seed}/{example.id}"
        released = getattr(options, "labels", PAPER) == RELEASED
        supports = tuple(sorted(set(example.supports or ())))
        instances = TRANSFORMS[self.how](Context(len(example.paragraphs), supports, key))
        whole = replace(example, paragraphs=with_distinct_titles(example.paragraphs))
        rows = numbers(instances, random.Random(f"{key}/sub_idx"))
        numbered = list(zip(instances, rows, strict=True))
        if getattr(options, "balanced", ALL_ROWS) == TRAIN:
            numbered = _balanced(numbered, random.Random(f"{key}/balanced"))
        # Two rows without labels stay as in the authors' files; all others are distinguished by number.
        has_numbers = len(instances) > 2 or instances[0].label is not None
        for instance, sub_idx in numbered:
            row = _instance(whole, instance, sub_idx=sub_idx, numbered=has_numbers)
            yield _labelled_with_lost(row, whole, instance) if released else row


def _balanced(numbered: list[tuple[Instance, int]], rng: random.Random) -> list[tuple[Instance, int]]:
    """The first row not labelled INSUFFICIENT, and a random row that is."""
    first = next(row for row in numbered if row[0].label != INSUFFICIENT)
    return [first, rng.choice([row for row in numbered if row[0].label == INSUFFICIENT])]


def _labelled_with_lost(example: Example, whole: Example, instance: Instance) -> Example:
    """The instance labelled with the facts that its context lacks, which only a file can name."""
    kept = set(instance.kept)
    places = whole.facts if whole.facts is not None else [(p, 0) for p in whole.supports or ()]
    lost = [[whole.paragraphs[p].title, sentence] for p, sentence in places if p not in kept]
    return replace(example, supports=(), facts=(), extra={**example.extra, OUTSIDE: lost})


def _instance(example: Example, instance: Instance, *, sub_idx: int, numbered: bool) -> Example:
    reduced_example = reduced(example, instance.kept)
    keys = {SUFFICIENCY: instance.label} if instance.label is not None else {}
    extra = {**example.extra, **keys} | ({SUB_IDX: sub_idx} if numbered else {})
    answerable = None if instance.label is None else instance.label == SUFFICIENT
    return replace(reduced_example, answerable=answerable, group=example.group or example.id, extra=extra)


def _drop_reason(example: Example, options: RemovalOptions) -> str:
    if example.answerable is False:
        return "it is unanswerable already"
    if example.supports is None:
        return "its supporting paragraphs are not known"
    if len(example.paragraphs) < options.min_paragraphs:
        return "it has fewer paragraphs than wanted"
    return ""


def _count(instances: list[Example], tally: Tally) -> None:
    tally.kept += len(instances)
    tally.figures["questions"] += 1
    by_number = tally.figures["instances of a question"]
    by_number[str(len(instances))] = by_number.get(str(len(instances)), 0) + 1


DERIVATION: tuple[SupportRemoval, ...] = (
    SupportRemoval(
        "dire-transform",
        gettext_noop("DiRe: contrastive support sufficiency"),
        gettext_noop("Gives each question one context that is sufficient and several that each lack a part of it."),
        "transformed",
        TransformOptions,
    ),
    SupportRemoval(
        "dire-probe",
        gettext_noop("DiRe: probe of the original"),
        gettext_noop("Splits each question's supporting paragraphs into two contexts, in every possible way."),
        "probe",
        ProbeOptions,
    ),
    SupportRemoval(
        "dire-probe-of-transform",
        gettext_noop("DiRe: probe of the transform"),
        gettext_noop("Asks whether each part of the supporting paragraphs, or none of them, is in the context."),
        "probe-of-transformed",
        ProbeOfTransformOptions,
    ),
    SupportRemoval(
        "dire-trivial",
        gettext_noop("DiRe: trivial transform (control)"),
        gettext_noop("Copies each question three times, each time without one paragraph that it does not need."),
        "trivial",
    ),
    SupportRemoval(
        "nmf-transform",
        gettext_noop("NMF: contrastive support sufficiency"),
        gettext_noop("The transform as defined in the earlier version of DiRe."),
        "nmf-transformed",
        group=NMF,
    ),
    SupportRemoval(
        "nmf-probe",
        gettext_noop("NMF: probe of the original"),
        gettext_noop("The probe as defined in the earlier version of DiRe: all contexts have the same length."),
        "nmf-probe",
        group=NMF,
    ),
    SupportRemoval(
        "nmf-probe-of-transform",
        gettext_noop("NMF: probe of the transform"),
        gettext_noop("The probe of the transform as defined in the earlier version of DiRe."),
        "nmf-probe-of-transformed",
        group=NMF,
    ),
)
