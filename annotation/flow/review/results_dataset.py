"""Creating a dataset from a batch's results in the form that the task writes, with the provenance of each."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.derivations.base import RESULTS
from annotation.events import ResultsDatasetCreated, emit
from annotation.flow.data import item_writer
from annotation.flow.data.derivation import code_version
from annotation.flow.data.item_writer import CHUNK, Filler, OnProgress, no_progress
from annotation.flow.data.response_files import time_text
from annotation.flow.errors import Refused
from annotation.flow.review import adjudication, review_decisions
from annotation.flow.review.review_decisions import ResponseWithReview
from annotation.models import Adjudication, Batch, Dataset, Hit, Item, Review, User
from annotation.models.fields import to_text
from annotation.pure.data.example import JSON, Example
from annotation.pure.data.provenance import appended
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import InvalidWording, Rated, capabilities

UNANSWERED, EXCLUDED = "no answer stands", "excluded"
PICKED, REWORDED, AGGREGATED = "picked", "reworded", "aggregated"
FORESEEN = 2000  # HITs by which a preview counts
LISTED = 500  # dropped items that the report names


class ResultItem(NamedTuple):
    """An example with its result, and the group key of its item."""

    example: Example
    key: str


@dataclass
class _Tally:
    """Counts of HITs: {"read", "kept", "dropped": {reason: n}}; `items` counts the items made from them, `decided` the
    kept HITs by who decided on the result: PICKED, REWORDED or AGGREGATED.

    "left_out" lists the first LISTED dropped HITs: {"dataset", "item", "reason"}.
    """

    read: int = 0
    kept: int = 0
    items: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    aggregates: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    left_out: list[JSON] = field(default_factory=list)

    def drop(self, source: Dataset, item: Item, reason: str) -> None:
        self.dropped[reason] += 1
        if len(self.left_out) < LISTED:
            self.left_out.append({"dataset": source.slug, "item": item.source_id, "reason": reason})

    def as_json(self) -> JSON:
        figures = {"items": self.items, "verdicts": dict(self.aggregates), "answers": dict(self.answers)}
        figures["decided"] = dict(self.decided)
        counted = {"read": self.read, "kept": self.kept, "dropped": dict(self.dropped.most_common())}
        return {**counted, "left_out": self.left_out, "figures": figures}


def create_results_dataset(
    batch: Batch,
    *,
    name: str,
    least: int = 0,
    keep: str = "",
    user: User | None = None,
    progress: OnProgress = no_progress,
) -> dict[str, Any]:
    """Create a dataset from the batch's aggregated responses, in order of dataset and item.

    An item is kept if at least `least` responses agree with its result, or a requester adjudicated it; and if its
    ratings fulfil the expression `keep`.
    Returns {"datasets": {name: size}, "read", "kept", "dropped", "left_out", "figures"}.
    Idempotent for the same results. Raises Refused, without side effects, for a batch without results and for a name
    that is taken.
    """
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise Refused(_("This batch is not launched yet, so it has no results."))
    sources = sorted(batch.datasets.select_related("root"), key=lambda dataset: dataset.slug)
    keeps = selector_of(batch, keep)
    lineage = _lineage(batch, sources) | ({"least": least} if least > 0 else {}) | ({"keep": keep} if keep else {})
    if Dataset.objects.whole().filter(project=batch.project, slug=name).exists():
        made = _ResultsDataset(batch, sources, lineage, least, keeps)
        size = sum(1 for _found in made.examples(progress))
        item_writer.already_there(batch.project, name, made.digest(), "jsonl")
        return {"datasets": {name: size}, "already_there": True}
    columns = {"licence": _together(sources, "licence", 200)}
    columns |= {name: _together(sources, name, 500) for name in ("source", "ethics", "consent")}
    origin = {"lineage": lineage, "root": sources[0].root or sources[0], "created_by": user}
    with item_writer.filling(batch.project, name, format="jsonl", **origin, **columns) as filler:
        report = _fill(batch, _ResultsDataset(batch, sources, lineage, least, keeps), filler, progress)
    return {"datasets": {name: filler.size}, **report}


def selector_of(batch: Batch, keep: str) -> Callable[[JSON], bool]:
    """Whether an aggregated response fulfils an expression; "" is fulfilled by all. Raises Refused."""
    if not keep:
        return lambda _aggregate: True
    task = task_type(batch.task)
    if not isinstance(task, Rated):
        raise Refused(_("Only ratings by a rubric can be selected by an expression."))
    try:
        return task.selector(task.options(batch.options), keep)
    except InvalidWording as invalid:
        raise Refused(_(invalid.message) % invalid.values) from None


def kept_of(batch: Batch, keep: str) -> dict[str, int]:
    """How many of the first FORESEEN HITs with a result fulfil an expression: {"hits", "kept"}. Raises Refused."""
    keeps, made = selector_of(batch, keep), {"hits": 0, "kept": 0}
    task = task_type(batch.task)
    hits = list(batch.hits.filter(check_item=False, excluded_at__isnull=True).order_by("pk")[:FORESEEN])
    for start in range(0, len(hits), CHUNK):
        for answers, hit in _standing(batch, hits[start : start + CHUNK]):
            made["hits"] += 1
            made["kept"] += keeps(review_decisions.aggregate(task, hit.payload, answers))
    return made


def _standing(batch: Batch, hits: list[Hit]) -> Iterator[tuple[list[Any], Hit]]:
    responses = responses_by_hit(batch, hits)
    found = (([one.answer for one in responses[hit.pk] if one.is_standing], hit) for hit in hits)
    return ((answers, hit) for answers, hit in found if answers)


def _lineage(batch: Batch, sources: list[Dataset]) -> JSON:
    return {
        "source": [dataset.slug for dataset in sources],
        "how": RESULTS,  # in the place of a derivation's name
        "batch": batch.slug,
        "task": batch.task,
        "options": batch.options,
        "seed": batch.seed,
        "version": code_version(),
    }


def _together(sources: list[Dataset], column: str, most: int) -> str:
    """A column of all source datasets in one line; "" if it is too long, as their own rows have it."""
    text = "; ".join(dict.fromkeys(getattr(each, column) for each in sources if getattr(each, column)))
    return text if len(text) <= most else ""


def _fill(batch: Batch, made: _ResultsDataset, filler: Filler, progress: OnProgress) -> JSON:
    for found in made.examples(progress):
        filler.add(found.example, key=found.key)
    report = made.tally.as_json()
    if not filler.size:
        dropped = ", ".join(f"{reason}: {count}" for reason, count in report["dropped"].items()) or "-"
        raise Refused(_("No item has an aggregated response yet. Left out: %(dropped)s") % {"dropped": dropped})
    filler.write()
    with transaction.atomic():
        filler.show(report, sha256=made.digest())
        emit(ResultsDatasetCreated(batch, filler.dataset, items=filler.size))
    return report


class _ResultsDataset:
    """One pass over a batch's results; its digest and counts are complete once `examples` is exhausted."""

    def __init__(
        self, batch: Batch, sources: list[Dataset], lineage: JSON, least: int, keeps: Callable[[JSON], bool]
    ) -> None:
        self.tally, self._least, self._keeps = _Tally(), least, keeps
        self._batch, self._sources, self._task = batch, sources, task_type(batch.task)
        self._hash = hashlib.sha256(to_text(lineage).encode())
        self._ambiguous = _ambiguous(batch)

    def digest(self) -> str:
        return self._hash.hexdigest()

    def examples(self, progress: OnProgress) -> Iterator[ResultItem]:
        for source in self._sources:
            hits = self._batch.hits.filter(item__dataset=source, check_item=False).order_by("item__position")
            keys = list(hits.values_list("pk", flat=True))
            for start in range(0, len(keys), CHUNK):
                yield from self._chunk(source, keys[start : start + CHUNK])
                progress(self.tally.read, self._batch.size)

    def _chunk(self, source: Dataset, keys: list[int]) -> Iterator[ResultItem]:
        hits = list(Hit.objects.filter(pk__in=keys).select_related("item").order_by("item__position"))
        responses = responses_by_hit(self._batch, hits)
        decisions = adjudication.decisions_on(keys)
        for hit in hits:
            self.tally.read += 1
            found, reason = (
                ([], EXCLUDED) if hit.excluded_at else self._exported(hit, responses[hit.pk], decisions[hit.pk])
            )
            self.tally.kept += bool(found)
            if not found:
                self.tally.drop(source, hit.item, reason)
            for example in found:
                self.tally.items += 1
                kept = self._grouped(example, hit.item, source)
                self._hash.update(to_text([kept.as_json(), hit.item.group_key]).encode())
                yield ResultItem(kept, hit.item.group_key)

    def _exported(
        self, hit: Hit, responses: list[ResponseInResult], decisions: list[Adjudication]
    ) -> tuple[list[Example], str]:
        """The task's examples from the result, with provenance, or the reason why the item is left out."""
        self.tally.answers.update(one.state for one in responses)
        answers = [one.answer for one in responses if one.is_standing]
        if not answers:
            return [], UNANSWERED
        aggregate = review_decisions.aggregate(self._task, hit.payload, answers)
        kind = review_decisions.kind_of(aggregate)
        self.tally.aggregates[kind] += 1
        found = self._task.export(hit.item.example, aggregate)
        accepted = [one for one in responses if one.is_standing and one.answer.get("accepted")]
        is_adjudicated = len(accepted) == 1
        too_few = self._least > 0 and self._task.agreeing(hit.payload, answers, aggregate) < self._least
        if found and too_few and not is_adjudicated:
            return [], f"fewer than {self._least} agree"
        if found and not self._keeps(aggregate):
            return [], "does not fulfil the expression"
        if found:
            is_reworded = is_adjudicated and accepted[0].standing.state == review_state.EDITED
            self.tally.decided[REWORDED if is_reworded else PICKED if is_adjudicated else AGGREGATED] += 1
        provenance = capabilities.provenance(self._task, hit.payload, answers, aggregate)
        if len(decisions) >= 2:
            provenance = {"adjudications": [_adjudicated(self._batch, made) for made in decisions]} | provenance
        if hit.cause and is_adjudicated:
            provenance = {"cause": hit.cause} | provenance
        step = step_of(self._batch, hit, responses) | {"aggregate": aggregate} | provenance
        return [replace(example, extra=appended(example.extra, step)) for example in found], kind

    def _grouped(self, example: Example, item: Item, source: Dataset) -> Example:
        """The example, with a group key that cannot be confused with another dataset's."""
        name = item.group_key.partition(":")[2]
        return replace(example, group=f"{source.slug}/{name}") if name in self._ambiguous else example


def _ambiguous(batch: Batch) -> set[str]:
    """Group names that occur in several datasets of the batch for different groups."""
    keys = set(batch.hits.filter(check_item=False).values_list("group_key", flat=True))
    names = Counter(key.partition(":")[2] for key in keys)
    return {name for name, count in names.items() if count > 1}


STANDING = "standing"


@dataclass(frozen=True, slots=True)
class ResponseInResult:
    """A worker's latest response with the decision on it."""

    standing: ResponseWithReview
    answer: JSON

    @property
    def is_standing(self) -> bool:
        return self.standing.takes_part

    @property
    def state(self) -> str:
        """STANDS, or the decision that leaves it out of the result."""
        return STANDING if self.is_standing else self.standing.state


def responses_by_hit(batch: Batch, hits: list[Hit]) -> defaultdict[int, list[ResponseInResult]]:
    """The latest blind revisions by HIT, including excluded ones, in order of submission."""
    payloads = {hit.pk: hit.payload for hit in hits}
    rows = batch.assignments.submitted().blind().filter(hit__in=list(payloads)).select_related("batch").defer("draft")
    responses: defaultdict[int, list[ResponseInResult]] = defaultdict(list)
    for standing in review_decisions.responses_with_reviews(rows.order_by("submitted_at", "pk")):
        hit = standing.assignment.hit_id
        responses[hit].append(ResponseInResult(standing, review_decisions.value(standing, payloads[hit])))
    return responses


def step_of(batch: Batch, hit: Hit, responses: list[ResponseInResult]) -> JSON:
    """A HIT's step of provenance: who, when, where, and every review, also of excluded responses."""
    rows = [one.standing for one in responses if one.is_standing]
    chance = hit.inclusion_probability
    return {
        "batch": batch.slug,
        "task": batch.task,
        "hit": hit.public_id,
        **({} if chance is None else {"inclusion_probability": chance}),
        "workers": [batch.project.pseudonym(row.assignment.worker_id) for row in rows],
        "instructions_versions": sorted({row.answer.instructions_version for row in rows}),
        "submitted": [time_text(row.answer.created_at) for row in rows],
        "reviews": [_reviewed(batch, hit, one.standing, said) for one in responses if (said := one.standing.review)],
    }


def _reviewed(batch: Batch, hit: Hit, standing: ResponseWithReview, review: Review) -> JSON:
    data = {
        "worker": batch.project.pseudonym(standing.assignment.worker_id),
        "reviewer": batch.project.reviewer_pseudonym(review.reviewer_id) if review.reviewer_id else None,
        "decision": review.decision,
        "marks": review.marks,
    }
    if review.decision == review_state.EDITED:
        data["edited_from"] = capabilities.review(task_type(batch.task), hit.payload, standing.answer.answer)["text"]
    return data


def _adjudicated(batch: Batch, made: Adjudication) -> JSON:
    """One of two requesters' independent decisions."""
    project, chosen = batch.project, made.assignment
    data = {
        "reviewer": project.reviewer_pseudonym(made.adjudicator_id) if made.adjudicator_id else None,
        "decision": made.decision,
        "worker": project.pseudonym(chosen.worker_id) if chosen else None,
    }
    given = {"text": made.text, "reason": made.reason, "cause": made.cause}
    return data | {name: words for name, words in given.items() if words}
