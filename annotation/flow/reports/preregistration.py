"""Preregistration of a batch: what its settings say is filled in, and it is refused after the first response."""

import hashlib
import json
from collections.abc import Mapping

from django.db import transaction
from django.db.models import Min, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.batches import experiments
from annotation.flow.batches.settings import SETTINGS, STORED_AS_COLUMNS
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Batch, Preregistration, User, clock
from annotation.pure.data.example import JSON
from annotation.pure.reports.preregistration import LONGEST, REQUIRED, TEXTS, differences, digest, document
from annotation.pure.setting_fields import digests
from annotation.registry import task_type


@transaction.atomic
def register(batch: Batch, texts: Mapping[str, str], *, user: User | None = None) -> Preregistration:
    """Register these texts (TEXTS) with the batch's settings as they are now.

    Raises Refused without hypotheses or analysis, if something is registered already, and after the first response.
    """
    if lacking := [_(TEXTS[name]) for name in REQUIRED if not texts.get(name, "").strip()]:
        raise Refused(_("Still to write: %(what)s.") % {"what": ", ".join(lacking)})
    if any(len(text) > LONGEST for text in texts.values()):
        raise Refused(_("A text has at most %(most)s characters.") % {"most": LONGEST})
    # Lock: two registrations at the same time would both find none.
    row = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    if Preregistration.objects.filter(batch=row).exists():
        raise Refused(_("This batch is preregistered already. A preregistration is never changed."))
    if is_answered(row):
        raise Refused(_("There are responses already. A preregistration comes before the first one."))
    head = {
        "batch": row.slug,
        "title": row.title,
        "project": row.project.slug,
        "registered_at": clock.now().isoformat(),
    }
    text = document(head, texts, settings_of(row))
    made = Preregistration.objects.create(batch=row, document=text, sha256=digest(text), created_by=user)
    audit_log.record("preregistered", row, sha256=made.sha256)
    return made


FIGURES = {  # stated beside the settings of a batch
    "hits": gettext_noop("HITs"),
    "assignments": gettext_noop("Assignments"),
    "chosen_workers": gettext_noop("Chosen workers"),
    "experiment": gettext_noop("Experiment"),
    "hidden_gold": gettext_noop("Hidden gold"),
    "excluded_hits": gettext_noop("Excluded HITs"),
}
LABELS = {name: one.label for name, one in SETTINGS.items() if one.registered} | FIGURES


def settings_of(batch: Batch) -> JSON:
    """The settings of a batch that bear on its results, by the names of LABELS; None: not known before the launch."""
    hits = batch.hits.filter(check_item=False)
    launched = batch.launched_at is not None
    gold = {"datasets": sorted(batch.checks.values_list("slug", flat=True)), "share": batch.check_share}
    return {name: getattr(batch, name) for name in STORED_AS_COLUMNS if SETTINGS[name].registered} | {
        "options": batch.options | digests(task_type(batch.task).Options, batch.options),
        "datasets": {row.slug: row.digest for row in batch.datasets.order_by("slug")},
        "sample": batch.sample or "all",
        "hits": hits.count() if launched else None,
        "assignments": hits.aggregate(sum=Sum("wanted", default=0))["sum"] if launched else None,
        "most_per_worker": batch.most_per_worker or "any number",
        "requirements": batch.requirements,
        "chosen_workers": batch.workers.count(),
        "experiment": experiments.terms(batch.experiment) if batch.experiment else "none",
        "reward": f"{batch.reward:.2f}",
        "hidden_gold": gold | {"rule": batch.check_rule} if batch.check_share else "none",
        "instructions": f"SHA-256 {hashlib.sha256(batch.instructions.text.encode()).hexdigest()}",
        "excluded_hits": hits.filter(excluded_at__isnull=False).count(),
    }


def registered(batch: Batch) -> Preregistration | None:
    return Preregistration.objects.filter(batch=batch).first()


def is_answered(batch: Batch) -> bool:
    """Whether there is a response (also to hidden gold), so that it is too late to register anything."""
    return batch.assignments.submitted().exists()


def deviations(made: Preregistration) -> list[tuple[str, str, str]]:
    """(setting, as registered, as it is now) of each setting in which the batch differs from its preregistration."""
    now = json.loads(json.dumps(settings_of(made.batch)))
    return differences(json.loads(made.document)["settings"], now)


def is_late(made: Preregistration) -> bool:
    """Whether a response was stored before it, in the instant in which it was registered."""
    first = made.batch.assignments.submitted().aggregate(first=Min("submitted_at"))["first"]
    return first is not None and first <= made.created_at


def as_json(made: Preregistration) -> JSON:
    """The registered file with its hash and time, and what differs from it."""
    return {
        "sha256": made.sha256,
        "registered_at": made.created_at.isoformat(),
        "document": json.loads(made.document),
        "late": is_late(made),
        "differences": [{"setting": name, "registered": was, "now": now} for name, was, now in deviations(made)],
    }
