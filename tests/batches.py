"""Batches and rounds made in one line: settings by name, of which some are columns that no door sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.flow.batches import batch_drafts, hidden_gold
from annotation.flow.batches.parsing import Reading, parse
from annotation.flow.batches.settings import DAY, SETTINGS, BatchSettings, stored
from annotation.flow.people import qualification_rounds
from annotation.flow.setting_values import InvalidSettings
from annotation.models import Batch, Dataset, Project, QualificationRound, User
from annotation.registry import kinds


def create_batch(project: Project, name: str, *, user: User | None = None, **given: Any) -> Batch:
    """A draft, also one that its launch refuses: of a task that can use none of the items, on a closed marketplace."""
    asked, columns = _split(given | {"name": name})
    if given["task"] not in dict(kinds()):  # one that cannot be launched here
        columns |= {"task": asked["task"], "options": asked.pop("options", {})}
        asked["task"] = "answer"
    reading = Reading(project, asked)
    if reading.problems.keys() - {"task", "marketplace"}:
        raise InvalidSettings(reading.problems)
    batch = batch_drafts.create_batch(project, BatchSettings(**reading.values), user=user)
    if columns:
        Batch.objects.filter(pk=batch.pk).update(**columns)
        batch.refresh_from_db()
    return batch


def create_round(project: Project, name: str, *, user: User | None = None, **given: Any) -> QualificationRound:
    """A draft of a round; `tries` are attempts."""
    if "tries" in given:
        given["attempts"] = given.pop("tries")
    asked, columns = _split(given | {"name": name}, *qualification_rounds.ROUND_SETTINGS)
    made = qualification_rounds.store_round(project, *qualification_rounds.parse_round(project, asked), user=user)
    Batch.objects.filter(pk=made.batch.pk).update(**columns)
    return made


def set_up_gold(batch: Batch, *, datasets: Sequence[Dataset], share: float, rule: hidden_gold.Rule) -> None:
    """Add hidden gold from these datasets to a draft."""
    below = {"warn_below_percent": rule.warn_below, "pause_below_percent": rule.pause_below}
    gold = {"percent": 100 * share, "after": rule.after} | {name: 100 * x for name, x in below.items() if x}
    settings = parse(batch.project, stored(batch) | {"checks": gold | {"datasets": datasets}}, batch=batch)
    batch_drafts.change_batch(batch, settings)


def _split(given: dict[str, Any], *more: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings, and other columns of the batch."""
    if "workers" in given:
        given["people"] = given.pop("workers")
    if (seconds := given.pop("auto_approval", None)) is not None:
        given |= {"paid": True, "auto_approve_days": seconds // DAY}
        given |= {} if seconds % DAY == 0 else {"auto_approval": seconds}
        given.setdefault("reward", 0)
    elif "reward" in given:
        given.setdefault("paid", False)
    known = {*SETTINGS, *more} - {"two_adjudicators"}  # which needs two members
    return {k: v for k, v in given.items() if k in known}, {k: v for k, v in given.items() if k not in known}
