"""Marketplaces that a project publishes on, from a shell."""

import os
from typing import Any

from annotation.flow import batching, connecting, publishing, settling, syncing
from annotation.flow.refusal import Refused
from annotation.management.door import Door, batch_named, project_of, words
from annotation.models import Batch, Connection, Project

OF_PLACES, OF_BATCHES = ("list", "add", "test", "remove"), ("publish", "sync", "settle", "pause", "resume")
IN_SECRET = "MARKETPLACE_SECRET"  # noqa: S105  (the name of a variable)


class Command(Door):
    help = "List, add, test and remove marketplaces; publish, sync, settle, pause and resume the batches there."

    def add(self, parser: Any) -> None:
        parser.add_argument("action", choices=[*OF_PLACES, *OF_BATCHES])
        parser.add_argument("name", nargs="*", type=words(100), help="marketplaces, or batches (none: all there)")
        presets = Connection.Preset.values
        parser.add_argument("--preset", choices=presets, default="here", help="which marketplace to add")
        parser.add_argument("--endpoint-url", type=words(300), default="", help="where it is called")
        parser.add_argument(
            "--worker-origin", type=words(300), default="", help="scheme and host of its workers' pages"
        )
        parser.add_argument("--region", type=words(30), default="us-east-1")
        parser.add_argument(
            "--key-id", type=words(128), default="", help=f"of its keys; the secret is read from {IN_SECRET}"
        )
        parser.add_argument("--fees", choices=["house", "mturk"], default="house")

    def act(self, **options: Any) -> dict[str, Any]:
        project, action, names = project_of(options), options["action"], options["name"]
        if action == "list":
            return {"marketplaces": [_told(row) for row in project.connections.order_by("name")]}
        if action == "add":
            return self._add(project, options)
        if action in OF_PLACES:
            verb = {"test": self._test, "remove": self._remove}[action]
            return {"marketplaces": [verb(marketplace_named(project, name)) for name in names]}
        verb = {
            "publish": self._publish,
            "sync": self._sync,
            "settle": _settle,
            "pause": _pause,
            "resume": _resume,
        }[action]
        return {"batches": [{"batch": batch.slug, **verb(batch)} for batch in _batches(project, names)]}

    def _add(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        secret, names = os.environ.get(IN_SECRET, ""), options["name"]
        if len(names) != 1 or not options["key_id"] or not secret:
            self.usage(f"give one name, --key-id, and the secret in the environment as {IN_SECRET}")
        given = {
            name: options[name] for name in ("preset", "endpoint_url", "worker_origin", "region", "key_id", "fees")
        }
        return _told(connecting.add(project, names[0], secret=secret, **given))

    def _test(self, row: Connection) -> dict[str, Any]:
        funds = connecting.check(row)
        return {"name": row.name, "available": str(funds.available)}

    def _remove(self, row: Connection) -> dict[str, Any]:
        connecting.remove(row)
        return {"removed": row.name}

    def _publish(self, batch: Batch) -> dict[str, Any]:
        assert batch.connection is not None
        publishing.try_again(batch)
        publishing.send_due(batch.connection, batch=batch, tell=self.teller(f"{batch.slug}: HITs published"))
        return publishing.counts(batch)

    def _sync(self, batch: Batch) -> dict[str, Any]:
        return syncing.catch_up(batch, tell=self.teller(f"{batch.slug}: HITs looked at"))


def marketplace_named(project: Project, name: str) -> Connection:
    """Raises Refused, naming those there are."""
    row = Connection.objects.filter(project=project, name=name).first()
    if row is None:
        known = ", ".join(project.connections.values_list("name", flat=True)) or "none"
        raise Refused(f"There is no marketplace {name} in project {project.slug}. There are: {known}.")
    return row


def _batches(project: Project, names: list[str]) -> list[Batch]:
    if not names:
        return list(project.batches.filter(connection__isnull=False, launched_at__isnull=False).order_by("pk"))
    found = [batch_named(project, name) for name in dict.fromkeys(names)]
    for batch in found:
        if batch.connection_id is None:
            raise Refused(f"The batch {batch.slug} is not on a marketplace.")
    return found


def _settle(batch: Batch) -> dict[str, Any]:
    assert batch.connection is not None
    settling.try_again(batch)
    settling.send_due(batch.connection)
    return {name: str(value) if name == "waiting" else value for name, value in settling.counts(batch).items()}


def _pause(batch: Batch) -> dict[str, Any]:
    return {"paused": batching.pause(batch)}


def _resume(batch: Batch) -> dict[str, Any]:
    return {"resumed": batching.resume(batch)}


def _told(row: Connection) -> dict[str, Any]:
    """What may be printed: never the secret."""
    return {"name": row.name, "preset": row.preset, "endpoint_url": row.endpoint_url, "trouble": row.trouble}
