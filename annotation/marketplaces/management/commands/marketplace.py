"""Manage marketplaces, and the batches published on them."""

import os
from typing import Any, cast

from django.conf import settings

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand, batch_named, marketplace_named, project_of, words
from annotation.marketplaces.flow import (
    connections,
    hit_sync,
    payments,
    publications,
    studies,
    study_arms,
    study_sync,
    visit_decisions,
)
from annotation.marketplaces.kinds import kinds, names_of
from annotation.marketplaces.models import Connection, PanelStudy
from annotation.marketplaces.models.connections import FEES
from annotation.marketplaces.study_base import StudyMarketplace
from annotation.models import Batch, Project

OF_PLACES, OF_BATCHES = ("list", "add", "test", "remove"), ("publish", "sync", "settle", "pause", "resume")
IN_SECRET = "MARKETPLACE_SECRET"  # noqa: S105  (the name of a variable)


class Command(JSONCommand):
    help = "List, add, test and remove marketplaces; publish, sync, settle, pause and resume batches on them."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("action", choices=[*OF_PLACES, *OF_BATCHES])
        add("name", nargs="*", type=words(100), help="marketplaces, or batches (default: all on marketplaces)")
        presets = Connection.Preset.values
        add(
            "--kind",
            choices=sorted(kinds()),
            default="mturk",
            help="kind of marketplace: the name of a folder in marketplaces/",
        )
        add("--option", action="append", default=[], type=words(2000), help="NAME=VALUE, a setting of the kind")
        add("--preset", choices=presets, default="here", help="kind of marketplace to add")
        add("--endpoint-url", type=words(300), default="", help="URL of its API")
        add("--worker-origin", type=words(300), default="", help="scheme and host of its pages for workers")
        add("--region", type=words(30), default="us-east-1")
        add("--key-id", type=words(128), default="", help=f"access key ID; the secret is read from {IN_SECRET}")
        add("--fees", choices=[name for name, _label in FEES], default="", help="default: the marketplace's")

    def act(self, **options: Any) -> dict[str, Any]:
        project, action, names = project_of(options), options["action"], options["name"]
        if action == "list":
            return {"marketplaces": [_connection_data(row) for row in project.connections.order_by("name")]}
        if action == "add":
            return self._add(project, options)
        if action in OF_PLACES:
            verb = {"test": self._test, "remove": self._remove}[action]
            return {"marketplaces": [verb(cast(Connection, marketplace_named(project, name))) for name in names]}
        verbs = {"publish": self._publish, "sync": self._sync, "settle": _settle, "pause": _pause, "resume": _resume}
        return {"batches": [{"batch": batch.slug, **verbs[action](batch)} for batch in _batches(project, names)]}

    def _add(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        secret, names = os.environ.get(IN_SECRET, ""), options["name"]
        kind, given_options = options["kind"], [text.partition("=") for text in options["option"]]
        has_keys = bool(secret) and (bool(options["key_id"]) or kind in names_of(StudyMarketplace))
        if len(names) != 1 or (kinds()[kind].offers("balance") and not has_keys):
            self.usage(f"give one name and --key-id, and set {IN_SECRET} in the environment to the secret")
        columns = ("preset", "endpoint_url", "worker_origin", "region", "key_id", "fees")
        if wrong := next((name for name, is_given, _value in given_options if not is_given), None):
            self.usage(f"--option {wrong}: write it as NAME=VALUE")
        given = {name: options[name] for name in columns} | {"kind": kind}
        given["options"] = {name.strip(): value.strip() for name, _is, value in given_options}
        if kind in names_of(StudyMarketplace):
            given["preset"] = Connection.Preset.OTHER
        return _connection_data(connections.add(project, names[0], secret=secret, **given))

    def _test(self, row: Connection) -> dict[str, Any]:
        funds = connections.check(row)
        return {"name": row.name, "available": str(funds.available)}

    def _remove(self, row: Connection) -> dict[str, Any]:
        connections.remove(row)
        return {"removed": row.name}

    def _publish(self, batch: Batch) -> dict[str, Any]:
        if not settings.HAS_PUBLIC_URL:
            raise Refused(
                "Set PUBLIC_URL to the address at which workers reach this site, as http://localhost:8000: the links "
                "on the marketplace begin with it."
            )
        if studies.is_study(batch):
            return _publish_study(batch)
        publications.try_again(batch)
        progress = self.progress_printer(f"{batch.slug}: HITs published")
        publications.send_due(batch.marketplace.connection, batch=batch, progress=progress)
        return publications.counts(batch)

    def _sync(self, batch: Batch) -> dict[str, Any]:
        if studies.is_study(batch):
            return study_sync.catch_up(batch, progress=self.progress_printer(f"{batch.slug}: visits checked"))
        return hit_sync.catch_up(batch, progress=self.progress_printer(f"{batch.slug}: HITs checked"))


def _batches(project: Project, names: list[str]) -> list[Batch]:
    if not names:
        rows = project.batches.filter(on_marketplace=True, launched_at__isnull=False).order_by("pk")
        return [batch for batch in rows if study_arms.lead_of(batch) == batch and study_arms.is_launched(batch)]
    found = list({study_arms.lead_of(batch_named(project, name)): None for name in names})
    for batch in found:
        if not batch.on_marketplace:
            raise Refused(f"The batch {batch.slug} is not on a marketplace.")
    return found


def _publish_study(batch: Batch) -> dict[str, Any]:
    study = PanelStudy.objects.select_related("batch", "connection").get(batch=batch)
    if study.goal != PanelStudy.Goal.ACTIVE:
        studies.pursue(study, PanelStudy.Goal.ACTIVE)
    studies.try_again(study)
    studies.send_due(study.connection)
    study.refresh_from_db()
    return {"url": studies.arrival_url(study), "goal": study.goal, "standing": study.standing, "error": study.error}


def _settle(batch: Batch) -> dict[str, Any]:
    if studies.is_study(batch):
        return {"sent": visit_decisions.send_due(batch.marketplace.connection)}
    payments.try_again(batch)
    payments.send_due(batch.marketplace.connection)
    return {name: str(value) if name == "waiting" else value for name, value in payments.counts(batch).items()}


def _pause(batch: Batch) -> dict[str, Any]:
    return {"paused": batch_launch.pause(batch)}


def _resume(batch: Batch) -> dict[str, Any]:
    return {"resumed": batch_launch.resume(batch)}


def _connection_data(row: Connection) -> dict[str, Any]:
    """A marketplace as JSON, without the secret."""
    columns = ("name", "kind", "preset", "endpoint_url", "options", "trouble")
    return {name: getattr(row, name) for name in columns}
