"""Documents on a dataset: provenance, datasheet and card."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from django.db.models import Sum

from annotation.derivations import DERIVATIONS
from annotation.derivations.contexts import names_in
from annotation.discovery import listed
from annotation.flow.data import item_editing
from annotation.flow.data.dataset_files import blocks_of, examples_of, whole_file
from annotation.flow.data.lineage import sources_of, splits_of, stem_of
from annotation.flow.reports import methods_facts
from annotation.flow.reports.batch_scores import cached_report
from annotation.flow.reports.model_predictions import models_with_counts
from annotation.flow.review.results_dataset import AGGREGATED, PICKED, REWORDED
from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Payment, Worker
from annotation.models.fields import to_text
from annotation.pure.data.dataset_card import card
from annotation.pure.data.datasheet import AskedModel, Origin, Sheet, Split, Step, Work
from annotation.pure.data.datasheet_text import datasheet
from annotation.pure.data.provenance import flattened, steps_of
from annotation.pure.people.consent_text import ethics_of
from annotation.pure.reports.agreement_cells import agreement_of
from annotation.pure.reports.baselines import baselines_of
from annotation.pure.reports.tables import sentence
from annotation.pure.setting_fields import settings_of
from annotation.pure.text import structured
from annotation.registry import task_type

NAMES_DATASETS = ("pool", "inputs", "others")  # options of derivations that name other datasets
DOCUMENTS = {"provenance": "provenance.jsonl", "datasheet": "datasheet.md", "card": "card.md"}  # and their files
DECIDED = {
    AGGREGATED: "aggregated from the responses",
    PICKED: "accepted by a requester",
    REWORDED: "in a requester's wording",
}
OF_FACTS = (
    *("answers", "workers", "imported", "excluded_responses", "first", "last"),
    *("rejected", "unpaid", "preface", "drawn_by", "suggest", "suggested"),
)  # that a work has by the same name
LAUNCHED = (Batch.State.OPEN, Batch.State.PAUSED, Batch.State.CLOSED)


def export_provenance(dataset: Dataset, path: Path) -> dict[str, Any]:
    """Write the provenance of every item, a JSON object per line with the item's id; returns {"records", "sha256"}."""
    return whole_file(path, lambda out: _write_provenance(dataset, out))


def export_datasheet(dataset: Dataset, path: Path) -> dict[str, Any]:
    """Write the datasheet, in Markdown; returns {"records" (1), "sha256"}."""
    return whole_file(path, _writer(lambda: datasheet_of(dataset)))


def export_card(dataset: Dataset, path: Path, *, files: Mapping[str, str], **terms: Any) -> dict[str, Any]:
    """Write the card; `files` by split, `terms`: see `pure.data.dataset_card.card`.

    Returns {"records" (1), "sha256"}.
    """
    return whole_file(path, _writer(lambda: card_of(dataset, files=files, **terms)))


def datasheet_of(dataset: Dataset) -> str:
    return datasheet(sheet_of(dataset))


def card_of(dataset: Dataset, *, files: Mapping[str, str], **terms: Any) -> str:
    return card(sheet_of(dataset), files, **terms)


def stream_document(dataset: Dataset, document: str, *, format: str) -> Iterator[bytes]:
    """One of DOCUMENTS as a file; `format`: the export that a card describes."""
    if document == "provenance":
        return blocks_of(lambda out: _write_provenance(dataset, out))
    if document == "datasheet":
        return iter([datasheet_of(dataset).encode()])
    suffix = f".{format}{FORMATS[format].suffix}"
    files = {split: f"{each.slug}{suffix}" for split, each in splits_of(dataset).items()}
    return iter([card_of(dataset, files=files, datasheet=f"{dataset.slug}.{DOCUMENTS['datasheet']}").encode()])


def _writer(text: Callable[[], str]) -> Callable[[BinaryIO], int]:
    def write(out: BinaryIO) -> int:
        out.write(text().encode())
        return 1

    return write


def _write_provenance(dataset: Dataset, out: BinaryIO) -> int:
    """Write a line for each id; twins share it, unless they were made in different ways."""
    seen: set[bytes] = set()
    for example in examples_of(dataset):
        steps = steps_of(example.extra)
        row = {"id": example.id, "provenance": steps, **flattened(steps, example.question)}
        line = to_text(row).encode("utf-8", "backslashreplace") + b"\n"
        digest = hashlib.blake2b(line, digest_size=16).digest()
        if digest not in seen:
            seen.add(digest)
            out.write(line)
    return len(seen)


def sheet_of(dataset: Dataset) -> Sheet:
    """All facts of the datasheet and the card, over all splits that belong together."""
    splits = splits_of(dataset)
    past = _Past(list(splits.values()))
    on_splits = Batch.everything.filter(datasets__in=list(splits.values()), state__in=LAUNCHED).distinct()
    later = [batch for batch in on_splits.order_by("pk") if batch.slug not in past.batches]  # such as a human study
    works = [*past.batches.values(), *later]
    workers = {worker for batch in works for worker in _workers(batch)}
    return Sheet(
        name=dataset.slug if len(splits) == 1 else stem_of(dataset),
        licence=dataset.licence or "; ".join(dict.fromkeys(o.licence for o in past.origins.values() if o.licence)),
        splits=tuple(Split.of(each, examples_of(row)) for each, row in splits.items()),
        origins=tuple(past.origins.values()),
        steps=tuple(past.steps.values()),
        works=tuple(_work(batch, past) for batch in works),
        workers=len(workers),
        changed=tuple(past.changed),
        gone=tuple(past.gone),
        ethics=_stated(dataset, past, "ethics") or (ethics_of(dataset.project.consent) if works else ""),
        consent=_stated(dataset, past, "consent"),
        **_consent(works, has_text=bool(dataset.project.consent)),
    )


def _stated(dataset: Dataset, past: "_Past", name: str) -> str:
    """What the dataset states, or else what those that it was made from state."""
    return getattr(dataset, name) or "; ".join(dict.fromkeys(filter(None, past.stated[name])))


def _consent(works: Sequence[Batch], *, has_text: bool) -> dict[str, int]:
    """Of the people who answered here, how many accepted the project's consent text; nothing without such a text."""
    if not has_text:
        return {}
    here = [methods_facts.responses_of(batch).filter(response_import__isnull=True) for batch in works]
    people = Worker.objects.filter(pk__in={worker for rows in here for worker in rows.values_list("worker", flat=True)})
    return {"asked": people.count(), "consented": people.filter(consented_at__isnull=False).count()}


class _Past:
    """The datasets and batches that a dataset was made from, earliest first."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self._project = datasets[0].project
        self._rows: dict[str, Dataset | None] = {dataset.slug: dataset for dataset in datasets}
        self.origins: dict[str, Origin] = {}
        self.steps: dict[tuple[str, str], Step] = {}
        self.batches: dict[str, Batch] = {}
        self.gone: list[str] = []
        self.stated: dict[str, list[str]] = {"ethics": [], "consent": []}
        self.changed: list[tuple[str, int, int]] = []
        for dataset in datasets:
            self._walk(dataset)

    def _walk(self, dataset: Dataset) -> None:
        lineage = dataset.lineage
        for name, said in self.stated.items():
            said.append(getattr(dataset, name))
        if found := item_editing.change_counts(dataset):
            self.changed.append((dataset.slug, found["edited"], found["archived"]))
        if not lineage:
            self.origins[dataset.slug] = _origin(dataset)
            return
        named = sources_of(dataset)
        options = [lineage["options"].get(option) for option in NAMES_DATASETS]
        further = [name for names in options if isinstance(names, str) for name in names_in(names)]
        for name in dict.fromkeys([*named, *further]):
            self._visit(name)
        if batch := Batch.everything.filter(project=self._project, slug=lineage.get("batch", "")).first():
            self.batches.setdefault(batch.slug, batch)
        self.steps.setdefault((dataset.sha256, lineage["how"]), _step(dataset, named))

    def _visit(self, name: str) -> None:
        if name in self._rows:
            return
        row = Dataset.objects.whole().filter(project=self._project, slug=name).first()
        self._rows[name] = row
        if row is None:
            self.gone.append(name)
        else:
            self._walk(row)


def _origin(dataset: Dataset) -> Origin:
    licence, source = dataset.licence, dataset.source
    return Origin(dataset.slug, dataset.format, dataset.size, licence, source, dataset.sha256)


def _step(dataset: Dataset, sources: list[str]) -> Step:
    lineage = dataset.lineage
    together = Dataset.objects.whole().filter(project=dataset.project_id, sha256=dataset.sha256)
    made = [row.slug for row in together.order_by("pk") if row.lineage == lineage]
    return Step(
        made=tuple(made),
        how=lineage["how"],
        sources=tuple(sources),
        options=dict(_named(name, value) for name, value in lineage["options"].items()),
        seed=lineage["seed"],
        version=lineage["version"],
        report=dataset.report,
        batch=lineage.get("batch", ""),
        title=DERIVATIONS[lineage["how"]].title if lineage["how"] in DERIVATIONS else "",
    )


def _named(option: str, value: Any) -> tuple[str, Any]:
    """An option with its value; of a value that is an object, as a rubric, the SHA-256."""
    return (f"{option}_sha256", structured.digest(value)) if isinstance(value, dict) else (option, value)


def _workers(batch: Batch) -> set[int]:
    return set(methods_facts.responses_of(batch).values_list("worker", flat=True))


def _work(batch: Batch, past: _Past) -> Work:
    facts = methods_facts.facts_of(batch, None)
    few, most = facts.per_hit
    report = cached_report(batch)
    return Work(
        batch=batch.slug,
        task=task_type(batch.task).title,
        made=batch.slug in past.batches,
        hits=facts.hits,
        excluded=sum(number for _reason, number in facts.excluded),
        per_hit=few or batch.assignments_per_hit,
        most_per_hit=most,
        marketplace=facts.marketplace,
        requires=bool(batch.requirements),
        chosen=facts.chosen or None,
        qualifications=tuple(_qualifications(batch)),
        pay=tuple(_pay(batch)),
        asked=tuple(sentence(each) for each in (report or {}).get("asked", ())),
        agreement=agreement_of(report) if report else (),
        baselines=baselines_of(report) if report else (),
        instructions_versions=batch.instructions_versions.count(),
        decided=_decided(batch, past),
        models=tuple(_models(batch)),
        responses=(facts.responses[0], facts.responses[1]),
        **{name: getattr(facts, name) for name in OF_FACTS},
    )


def _decided(batch: Batch, past: _Past) -> tuple[tuple[str, int], ...]:
    """By whom the results of the batch in the dataset were decided, as stored when that was made."""
    step = next((step for step in past.steps.values() if step.batch == batch.slug), None)
    found = (step.report.get("figures") or {}).get("decided") or {} if step else {}
    return tuple((words, found[name]) for name, words in DECIDED.items() if found.get(name))


def _models(batch: Batch) -> Iterator[AskedModel]:
    """The models with predictions for the batch; apps that ask models know more of theirs."""
    asked = {name: facts for found in listed("ASKED_MODELS") for name, facts in found(batch).items()}
    rows = models_with_counts(batch).order_by("name")
    for name, items in rows.values_list("name", "items"):
        yield AskedModel(name, items, **asked.get(name, {}))


def _qualifications(batch: Batch) -> Iterator[tuple[str, int]]:
    """Earlier qualification batches of the same task, and the number of workers in each."""
    alike = Batch.everything.filter(project=batch.project_id, task=batch.task, purpose=Batch.Purpose.QUALIFICATION)
    earlier = alike.filter(state__in=LAUNCHED, launched_at__lt=batch.launched_at).exclude(pk=batch.pk)
    for found in earlier.order_by("launched_at", "pk"):
        yield found.slug, len(_workers(found))


def _pay(batch: Batch) -> Iterator[tuple[str, str]]:
    """A paid batch's rewards, and its payments so far; nothing for an unpaid batch."""
    if batch.auto_approval is None:
        return
    options = task_type(batch.task).options(batch.options)
    by_answer = [one for name, one in settings_of(type(options)).items() if name.startswith("pay_")]
    for one in by_answer:
        yield one.label, f"{getattr(options, one.name)} US cents"
    if not by_answer:
        yield "An answer", f"{batch.reward:.2f} US dollars"
    paid = batch.payments.filter(state=Payment.State.PAID).aggregate(sum=Sum("amount", default=Decimal(0)))["sum"]
    yield "Paid so far, without fees", f"{paid:.2f} US dollars"
