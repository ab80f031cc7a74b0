"""Set up the demo with invented data and serve it."""

import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation.demo import composing, setting_up
from annotation.flow.people.sign_up import project_named
from annotation.flow.projects import audit_log
from annotation.operations.serving import NotServed, Server, free_port, is_free, served
from annotation.operations.upgrade import bring_up_to_date


class Command(BaseCommand):
    help = "Set up the demo, or complete it, and serve it until Ctrl+C."
    requires_system_checks = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="set it up and exit")

    def handle(self, *_: Any, **options: Any) -> None:
        if not options["no_serve"] and not is_free(options["port"]):
            other = "make demo PORT=8001" if settings.CHECKOUT else "hopscribe demo --port 8001"
            raise CommandError(f"Port {options['port']} is in use. Choose another: {other}", returncode=1)
        bring_up_to_date()
        call_command("collectstatic", interactive=False, verbosity=0)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        port = free_port() if options["no_serve"] else options["port"]
        try:
            with audit_log.acting(audit_log.Via.COMMAND):
                self._run(settings.VAR / "demo.json", port, serve=not options["no_serve"])
        except NotServed as failure:
            raise CommandError(str(failure), returncode=1) from None

    def _run(self, path: Path, port: int, *, serve: bool) -> None:
        """Serve at once, so that there is something to see while the simulated workers still answer."""
        notes = setting_up.read_notes(path)
        project = project_named()
        notes["accounts"] = setting_up.accounts(notes, project)
        notes["addresses"] = addresses(port, project.slug)
        setting_up.write_notes(path, notes)
        batch = setting_up.batch(project, settings.VAR)
        graphs = composing.batch(project, settings.VAR)
        is_complete = notes.get("answered") and notes.get("composed")
        if is_complete and not serve:
            return
        with served(port) as server:
            if serve:
                self._say(notes)
            if not is_complete:
                workers = setting_up.visitors(f"http://127.0.0.1:{port}", notes["accounts"], project)
                setting_up.answer_most(workers, batch, partial(self._bar, "Simulated workers answer"))
                composing.compose_most(workers, graphs, partial(self._bar, "Simulated composers compose"))
                composing.read_some(graphs)
                setting_up.write_notes(path, notes | {"answered": True, "composed": True})
            if serve:
                wait(server)

    def _bar(self, what: str, done: int, total: int) -> None:
        if not sys.stderr.isatty() and done % 20 and done != total:
            return
        width = 30 * done // total
        line = f"{what}: [{'#' * width}{'.' * (30 - width)}] {done} of {total}"
        in_place = sys.stderr.isatty() and done < total
        self.stderr.write(f"\r{line}" if sys.stderr.isatty() else line, ending="" if in_place else "\n")

    def _say(self, notes: dict[str, Any]) -> None:
        lines = ["", "Hopscribe is ready.", ""]
        lines += [f"  {what:12} {url}" for what, url in notes["addresses"].items()]
        lines += ["", "  Sign in as"]
        lines += [f"  {a['username']:12} {a['password']:14} ({a['role']})" for a in notes["accounts"][:2]]
        lines += ["", f"  The accounts are kept in {settings.VAR / 'demo.json'}. Stop with Ctrl+C.", ""]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def addresses(port: int, slug: str) -> dict[str, str]:
    base = f"http://localhost:{port}"
    return {"site": f"{base}/", "annotator": f"{base}/work/", "requester": f"{base}/projects/{slug}/"}


def wait(server: Server) -> None:
    """Block until the server ends or Ctrl+C."""
    try:
        server.wait()
    except KeyboardInterrupt:
        return
