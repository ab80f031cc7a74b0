"""A batch takes datasets and yields a dataset: what people said of each item, as the task type writes it down."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import reviewing, webhook_events
from annotation.flow.deriving import code_version
from annotation.flow.filling import CHUNK, Filler, Told, already_there, remove_dataset, reserve, silent
from annotation.flow.provenance import Said, said_by_hit, step_of
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Hit, Item, User
from annotation.models.fields import to_text
from annotation.pure.example import JSON, Example
from annotation.pure.provenance import appended
from annotation.registry import task_type

HOW = "verdicts"  # in the lineage, where derivations have their name
UNANSWERED, VOIDED = "no answer stands", "voided"
LISTED = 500  # items that did not advance, by name, in the report


class Gathered(NamedTuple):
    """An example after the verdict and the group key of the item that it came from."""

    example: Example
    key: str


@dataclass
class _Tally:
    """What became of the HITs: {"read", "kept", "dropped": {reason: n}} count HITs, `items` what came of them.

    "left_out" names the first LISTED of those that were dropped: {"dataset", "item", "reason"}.
    """

    read: int = 0
    kept: int = 0
    items: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    left_out: list[JSON] = field(default_factory=list)

    def drop(self, source: Dataset, item: Item, reason: str) -> None:
        self.dropped[reason] += 1
        if len(self.left_out) < LISTED:
            self.left_out.append({"dataset": source.slug, "item": item.source_id, "reason": reason})

    def as_json(self) -> JSON:
        figures = {"items": self.items, "verdicts": dict(self.verdicts), "answers": dict(self.answers)}
        counted = {"read": self.read, "kept": self.kept, "dropped": dict(self.dropped.most_common())}
        return {**counted, "left_out": self.left_out, "figures": figures}


def gather_dataset(
    batch: Batch, *, name: str, least: int = 0, user: User | None = None, tell: Told = silent
) -> dict[str, Any]:
    """Make a dataset of the batch's verdicts, in order of dataset and item.

    An item advances when at least `least` answers say what its verdict says, or a requester settled it.
    Returns {"datasets": {name: size}, "read", "kept", "dropped", "left_out", "figures"}.
    The same verdicts again change nothing; raises Refused, leaving nothing behind, for a batch without any and for a
    name that is taken.
    """
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise Refused(_("This batch was not launched yet, so there are no verdicts."))
    sources = sorted(batch.datasets.select_related("root"), key=lambda dataset: dataset.slug)
    lineage = _lineage(batch, sources) | ({"least": least} if least > 0 else {})
    if Dataset.objects.whole().filter(project=batch.project, slug=name).exists():
        gathering = _Gathering(batch, sources, lineage, least)
        size = sum(1 for _found in gathering.examples(tell))
        already_there(batch.project, name, gathering.digest(), "jsonl")
        return {"datasets": {name: size}, "already_there": True}
    columns = {"licence": _together(sources, "licence", 200), "source": _together(sources, "source", 500)}
    root = sources[0].root or sources[0]
    kept = reserve(batch.project, name, format="jsonl", lineage=lineage, root=root, created_by=user, **columns)
    filler = Filler(kept)
    try:
        report = _fill(batch, _Gathering(batch, sources, lineage, least), filler, tell)
    except BaseException:
        remove_dataset(filler.dataset)
        raise
    return {"datasets": {name: filler.size}, **report}


def _lineage(batch: Batch, sources: list[Dataset]) -> JSON:
    return {
        "source": [dataset.slug for dataset in sources],
        "how": HOW,
        "batch": batch.slug,
        "task": batch.task,
        "options": batch.options,
        "seed": batch.seed,
        "version": code_version(),
    }


def _together(sources: list[Dataset], column: str, most: int) -> str:
    """What the sources say of themselves, in a line; nothing where it is too long, for their own rows tell it."""
    told = "; ".join(dict.fromkeys(getattr(each, column) for each in sources if getattr(each, column)))
    return told if len(told) <= most else ""


def _fill(batch: Batch, gathering: _Gathering, filler: Filler, tell: Told) -> JSON:
    for found in gathering.examples(tell):
        filler.add(found.example, key=found.key)
    report = gathering.tally.as_json()
    if not filler.size:
        dropped = ", ".join(f"{reason}: {count}" for reason, count in report["dropped"].items()) or "-"
        raise Refused(_("No verdict makes an item yet. Left out: %(dropped)s") % {"dropped": dropped})
    filler.write()
    with transaction.atomic():
        filler.show(report, sha256=gathering.digest())
        webhook_events.gathered(batch, filler.dataset, items=filler.size)
    return report


class _Gathering:
    """One reading of a batch's verdicts; its digest and its tally are whole once `examples` is exhausted."""

    def __init__(self, batch: Batch, sources: list[Dataset], lineage: JSON, least: int) -> None:
        self.tally, self._least = _Tally(), least
        self._batch, self._sources, self._task = batch, sources, task_type(batch.task)
        self._hash = hashlib.sha256(to_text(lineage).encode())
        self._ambiguous = _ambiguous(batch)

    def digest(self) -> str:
        return self._hash.hexdigest()

    def examples(self, tell: Told) -> Iterator[Gathered]:
        for source in self._sources:
            hits = self._batch.hits.filter(item__dataset=source, check_item=False).order_by("item__position")
            keys = list(hits.values_list("pk", flat=True))
            for start in range(0, len(keys), CHUNK):
                yield from self._chunk(source, keys[start : start + CHUNK])
                tell(self.tally.read, self._batch.size)

    def _chunk(self, source: Dataset, keys: list[int]) -> Iterator[Gathered]:
        hits = list(Hit.objects.filter(pk__in=keys).select_related("item").order_by("item__position"))
        said = said_by_hit(self._batch, hits)
        for hit in hits:
            self.tally.read += 1
            found, reason = ([], VOIDED) if hit.voided_at else self._exported(hit, said[hit.pk])
            self.tally.kept += bool(found)
            if not found:
                self.tally.drop(source, hit.item, reason)
            for example in found:
                self.tally.items += 1
                kept = self._grouped(example, hit.item, source)
                self._hash.update(to_text([kept.as_json(), hit.item.group_key]).encode())
                yield Gathered(kept, hit.item.group_key)

    def _exported(self, hit: Hit, said: list[Said]) -> tuple[list[Example], str]:
        """What the verdict makes of the item, with its provenance, or else the reason why it is left out."""
        self.tally.answers.update(one.state for one in said)
        answers = [one.answer for one in said if one.stands]
        if not answers:
            return [], UNANSWERED
        verdict = reviewing.verdict(self._task, hit.payload, answers)
        kind = reviewing.kind_of(verdict)
        self.tally.verdicts[kind] += 1
        found = self._task.export(hit.item.example, verdict)
        if found and not self._advances(hit, answers, verdict):
            return [], f"fewer than {self._least} agree"
        told = self._task.provenance(hit.payload, answers, verdict)
        step = step_of(self._batch, hit, said) | {"verdict": verdict} | told
        return [replace(example, extra=appended(example.extra, step)) for example in found], kind

    def _advances(self, hit: Hit, answers: list[JSON], verdict: JSON) -> bool:
        if self._least <= 0 or sum(bool(answer.get("accepted")) for answer in answers) == 1:
            return True
        return self._task.agreeing(hit.payload, answers, verdict) >= self._least

    def _grouped(self, example: Example, item: Item, source: Dataset) -> Example:
        """The example, its group told from one of the same name in another dataset of the batch."""
        name = item.group_key.partition(":")[2]
        return replace(example, group=f"{source.slug}/{name}") if name in self._ambiguous else example


def _ambiguous(batch: Batch) -> set[str]:
    """Names of groups that different groups of the batch have."""
    keys = set(batch.hits.filter(check_item=False).values_list("group_key", flat=True))
    names = Counter(key.partition(":")[2] for key in keys)
    return {name for name, count in names.items() if count > 1}
