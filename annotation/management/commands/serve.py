"""Migrate the database, and serve the site."""

import os
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation.flow.errors import Refused
from annotation.flow.people.requesters import first_invite
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.management.json_command import integer_between
from annotation.operations.local_server import gunicorn, is_free, of_this_home, of_this_machine
from annotation.operations.upgrade import bring_up_to_date


class Command(BaseCommand):
    help = "Bring the database up to this release, then serve the site until Ctrl+C."
    requires_system_checks = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument(
            "--port", type=integer_between(1, 65535), help="of this machine (default: BIND, PORT or 8000)"
        )

    def handle(self, *_: Any, port: int | None, **options: Any) -> None:
        environment = of_this_machine(port) if port else {"PUBLIC_URL": settings.PUBLIC_URL} | of_this_home()
        number = int(environment.get("BIND", "").rpartition(":")[2] or environment.get("PORT") or 8000)
        if not is_free(number):
            raise CommandError(f"Port {number} is in use. Choose another: {settings.PROGRAM} serve --port 8001")
        try:
            done = bring_up_to_date()
        except Refused as refusal:
            raise CommandError(str(refusal), returncode=1) from None
        call_command("collectstatic", interactive=False, verbosity=0)
        self._greet(done, environment["PUBLIC_URL"])
        command = gunicorn()
        os.chdir(settings.ROOT)
        os.execve(command[0], command, environment)  # noqa: S606

    def _greet(self, done: dict[str, Any], site: str) -> None:
        lines = [f"Hopscribe is at {site}/ in a moment. Stop it with Ctrl+C.", f"Data and keys are in {settings.VAR}."]
        if done["copy"]:
            lines.append(f"The database was upgraded; as it was before, it is in {done['copy']}.")
        if settings.EMBEDDED_JOBS:
            lines.append("Background jobs run in the web server, without a broker.")
        with acting(audit_log.Via.COMMAND):
            invited = first_invite()
        if invited:
            lines += ["Nobody has an account yet. Make the first one, the owner's, with this link (once):"]
            lines += [f"  {site}/join/{invited.token}/"]
        elif urlsplit(site).hostname in settings.LOCAL_HOSTS:
            lines.append("Only this machine reaches it. docs/install.md says how others do.")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()
