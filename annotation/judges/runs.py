"""Runs of models: what would leave this machine, the confirmation, pausing, and the turns that carry them on."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Count, Max, Min
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.flow.reports.model_predictions import payloads_of
from annotation.judges import calls, prompts
from annotation.judges.calls import Stopped
from annotation.judges.chat_client import check_endpoint
from annotation.judges.conversation import Conversation
from annotation.judges.models import SETTLED, ModelRun
from annotation.models import Batch, BatchModel, Dataset, ModelPrediction, User
from annotation.models.sealed import Unsealable
from annotation.registry import task_type

TURN = 20.0  # seconds, after which other background work has its turn
COUNTED = 300  # items whose requests are measured; the rest is extrapolated
PROMPTS = 3  # shown before anything is sent
SAME = ("endpoint", "model", "name", "prompt_hash", "every_item", "samples", "temperature", "seed", "most_tokens")
_TEST = re.compile(r"(?<![a-z])test(?![a-z])", re.IGNORECASE)
State = ModelRun.State
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a run would send: to whom, of which datasets, how much, and what it may cost at most.

    `worst`: if every reply is as long as it may be and every token is one byte; None without prices. `size` is
    extrapolated if there are many items.
    """

    host: str
    model: str
    fields: tuple[str, ...]
    datasets: tuple[Dataset, ...]
    tests: tuple[str, ...]  # datasets that seem to be test splits
    items: int
    requests: int
    size: int  # bytes
    worst: Decimal | None
    prompts: tuple[str, ...]

    @property
    def licences(self) -> list[tuple[str, str]]:
        """(dataset, its licence or "")."""
        return [(dataset.slug, dataset.licence) for dataset in self.datasets]


def draft(batch: Batch, *, user: User | None = None, secret: str = "", **settings: Any) -> ModelRun:
    """A run to be confirmed, or the same one if there is one already, with the new key, prices and ceiling.

    `settings`: columns of ModelRun; an empty prompt is the batch's, an empty name the model's. Raises Refused.
    """
    if not batch.project.ask_models:
        raise Refused(_("The settings of this project do not allow sending items to models."))
    if not task_type(batch.task).launched:
        raise Refused(_("A model cannot be asked about HITs of other programs."))
    settings["endpoint"] = settings["endpoint"].strip()
    check_endpoint(settings["endpoint"])
    settings["prompt"] = (settings.get("prompt") or "").replace("\r\n", "\n").strip() or prompts.default_prompt(batch)
    settings["name"] = (settings.get("name") or "").strip() or settings["model"]
    run = ModelRun(batch=batch, created_by=user, secret=secret.strip(), **settings)
    run.prompt_hash = prompts.version_of(run.prompt)
    if run.most_cost is None and run.most_calls is None:
        raise Refused(_("Give a ceiling: the most that it may cost, or the most requests."))
    if run.most_cost is not None and not (run.price_in or run.price_out):
        raise Refused(_("A ceiling in dollars needs the prices of a million tokens."))
    same = batch.model_runs.filter(**{name: getattr(run, name) for name in SAME})
    if (old := same.defer("secret").order_by("pk").last()) is not None:
        new = ("price_in", "price_out", "most_cost", "most_calls", "terms", "concurrency")
        changed = {name: getattr(run, name) for name in (*new, *(["secret"] if run.secret else []))}
        ModelRun.objects.filter(pk=old.pk).update(**changed)
        return batch.model_runs.get(pk=old.pk)
    _check_name(run)
    run.save()
    return run


def _check_name(run: ModelRun) -> None:
    """One name has the predictions of one run, so of one prompt."""
    if run.batch.models.filter(name=run.name).exists():
        text = _(
            "%(name)s has predictions for this batch already, with another prompt or other settings. "
            "Give the new ones another name, or delete those."
        )
        raise Refused(text % {"name": run.name})


def outgoing(run: ModelRun) -> Outgoing:
    """What would be sent. Raises Refused if there is nothing to ask."""
    keys = prompts.item_keys(run)
    measured = keys[:: max(1, len(keys) // COUNTED)]
    payloads = payloads_of(run.batch, measured)
    some = [prompts.arranged(run, key, payloads[key], 0) for key in measured if payloads.get(key) is not None]
    bodies = [prompts.body_of(run, one, 0) for one in some]
    if not bodies:
        raise Refused(
            _("The task can use none of these items: %(needs)s") % {"needs": _(task_type(run.batch.task).needs)}
        )
    items = len(keys) * len(bodies) // len(measured)
    size = sum(map(len, bodies)) * items * run.samples // len(bodies)
    task, held = task_type(run.batch.task), tuple(run.batch.datasets.order_by("slug"))
    fields: set[str] = {name for one in some for name in ("question", "paragraphs") if name in one.payload}
    fields.update(task.shown_fields(task.options(run.batch.options)))
    requests = items * run.samples
    priced = run.price_in or run.price_out
    return Outgoing(
        host=host_of(run),
        model=run.model,
        fields=tuple(sorted(fields)),
        datasets=held,
        tests=tuple(one.slug for one in held if _TEST.search(f"{one.slug} {one.file_name} {one.source}")),
        items=items,
        requests=requests,
        size=size,
        worst=calls.price(run, size, requests * run.most_tokens) if priced else None,
        prompts=tuple(json.dumps(json.loads(body), ensure_ascii=False, indent=1) for body in bodies[:PROMPTS]),
    )


@transaction.atomic
def confirm(run: ModelRun, *, here: bool = False) -> None:
    """Start or resume a run, whose requester has seen what will be sent. `here`: this process carries it on.

    From now on its predictions have their name, and a draft its task, options, seed and datasets. Raises Refused if the
    project's settings do not allow it any more, or the name is taken.
    """
    if not run.batch.project.ask_models:
        raise Refused(_("The settings of this project do not allow sending items to models."))
    if (row := calls.locked(run.pk, run.batch_id)) is None:
        raise Refused(_("This run was deleted."))
    if row.state == State.RUNNING and not here:
        return  # sent twice: the process that has it keeps its lease
    if row.stored is None:
        _check_name(row)
        row.stored = BatchModel.objects.create(batch=row.batch, name=row.name, asked=True)
        row.save(update_fields=["stored"])
    rows = ModelRun.objects.filter(pk=run.pk)
    lease = Now() + calls.LEASE if here else None
    places = len(prompts.item_keys(run)) * run.samples
    fresh = {"state": State.RUNNING, "trouble": "", "failures": 0, "not_before": None, "lease_until": lease}
    rows.update(**fresh, places=places, confirmed_at=Now(), ended_at=None)
    run.refresh_from_db()
    details: dict[str, Any] = {"model": run.model, "host": host_of(run), "prompt": run.version, "number": places}
    audit_log.record("model asked", run.batch, **details)
    if not here:
        transaction.on_commit(jobs.wake_worker)


@transaction.atomic
def pause(run: ModelRun) -> None:
    """Send nothing more; what was sent is still stored."""
    if ModelRun.objects.filter(pk=run.pk, state=State.RUNNING).update(state=State.PAUSED, lease_until=None):
        audit_log.record("model paused", run.batch, model=run.model)


def carry_on(run: ModelRun, *, progress: Callable[[int, int], None]) -> None:
    """Ask until the run is done or pauses, in this process, which takes it over from any other. Raises Stopped."""
    Conversation(calls.take(run), progress=progress).go()


def carry_on_due() -> None:
    """Give each run that is due a turn."""
    rows = ModelRun.objects.filter(calls.due(), batch__project__ask_models=True, batch__project__removed_at=None)
    for run in rows.defer("secret").order_by("pk"):
        with suppress(Stopped):
            _turn(run)
        if ModelRun.objects.filter(calls.due(), pk=run.pk).exists():
            jobs.wake_worker()


def _turn(run: ModelRun) -> None:
    taken = calls.take(run, only=calls.due())
    try:
        Conversation(taken, progress=lambda _done, _total: None).go(seconds=TURN)
    except Stopped:
        raise
    except (Refused, Unsealable) as refused:
        calls.pause(taken, str(refused))
    except Exception as defect:
        calls.pause(taken, f"{type(defect).__name__}")  # else it would be tried, and paid for, again and again
        raise


def discard(run: ModelRun) -> None:
    """Delete a run that was never confirmed, with its key."""
    run.batch.model_runs.filter(pk=run.pk, state=State.DRAFT).delete()


def settled(run: ModelRun) -> int:
    """Of how many places it is known what came of them."""
    return run.calls.filter(state__in=SETTLED).count()


def counts(run: ModelRun) -> dict[str, int]:
    """{"answered", "misfit", "refused", "failed", "repaired", "lost"}: calls by what came of them."""
    found = dict(run.calls.order_by().values_list("state").annotate(n=Count("pk")))
    return {state: found.get(state, 0) for state in ("answered", "misfit", "refused", "repaired", "failed", "lost")}


def asked_models(batch: Batch) -> dict[str, dict[str, Any]]:
    """By the name of its predictions, what the datasheet says of a model that was asked (`AskedModel`)."""
    found = {}
    asked = batch.model_runs.defer("secret", "prompt").exclude(stored=None)
    for run in asked.annotate(first=Min("calls__created_at"), last=Max("calls__created_at")):
        found[run.name] = {
            "model": run.model,
            "host": host_of(run),
            "first": f"{run.first:%Y-%m-%d}" if run.first else "",
            "last": f"{run.last:%Y-%m-%d}" if run.last else "",
            "prompt_hash": run.prompt_hash,
            "samples": run.samples,
            "temperature": run.temperature,
            "cost": f"{run.spent:.4f}",
            "terms": run.terms,
        }
    return found


def host_of(run: ModelRun) -> str:
    """Host and port that a run sends to."""
    return urlsplit(run.endpoint).netloc


def answers(run: ModelRun) -> Iterator[dict[str, Any]]:
    """Its predictions as `import_predictions` takes them: item, run and answer, in order."""
    rows = ModelPrediction.objects.filter(model__model_run=run).order_by("item", "run")
    for position, number, answer in rows.values_list("item__position", "run", "answer").iterator():
        yield {"item": position, "run": number, "answer": answer}
