"""Set up the demo with invented data and serve it."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation.demo import compose_batch, project_setup, qualification_round, rating_batch
from annotation.demo.steps import Steps
from annotation.flow.data.item_writer import OnProgress
from annotation.flow.projects import audit_log
from annotation.flow.projects.projects import project_named
from annotation.flow.projects.request_context import acting
from annotation.management.json_command import integer_between
from annotation.operations.local_server import (
    EVERY,
    LOOPBACK,
    NotServed,
    Server,
    free_port,
    is_free,
    is_local,
    network_name,
    served,
)
from annotation.operations.upgrade import bring_up_to_date

ON_THIS_COMPUTER = [
    "  Only this computer reaches it. To try it on a phone in the same network:",
    f"  {'make demo HOST=0.0.0.0' if settings.CHECKOUT else 'hopscribe demo --host 0.0.0.0'}",
]
ESTIMATE = "usually less than a minute"


class Command(BaseCommand):
    help = "Set up the demo, or complete it, and serve it until Ctrl+C."
    requires_system_checks = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--port", type=integer_between(1, 65535), default=8000)
        what = "listen there: 0.0.0.0 lets in everybody in your network (default: this computer only)"
        parser.add_argument("--host", default=LOOPBACK, metavar="ADDRESS", help=what)
        parser.add_argument("--no-serve", action="store_true", help="set it up and exit")

    def handle(self, *_: Any, port: int, host: str, **options: Any) -> None:
        try:
            self._set_up(free_port() if options["no_serve"] else port, host, serve=not options["no_serve"])
        except NotServed as failure:
            raise CommandError(str(failure), returncode=1) from None

    def _set_up(self, port: int, host: str, *, serve: bool) -> None:
        if not is_free(port, host):
            other = "make demo PORT=8001" if settings.CHECKOUT else "hopscribe demo --port 8001"
            raise CommandError(f"Port {port} is in use. Choose another: {other}", returncode=1)
        if not is_local(host):
            network_name(host)  # or say at once that there is none
        bring_up_to_date()
        call_command("collectstatic", interactive=False, verbosity=0)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with acting(audit_log.Via.COMMAND):
            self._run(settings.VAR / "demo.json", port, host, serve=serve)

    def _run(self, path: Path, port: int, host: str, *, serve: bool) -> None:
        """Serve at once, so that there is something to see while the simulated workers still answer."""
        notes = project_setup.read_notes(path)
        project = project_named()
        notes["accounts"] = project_setup.accounts(notes, project)
        notes["addresses"] = addresses(own_base(port, host), project.slug)
        project_setup.write_notes(path, notes)
        if not all(map(notes.get, Steps.names)):
            self._line("Importing the datasets of Vennory and launching five batches, about 10 s")
        project_setup.prepare(project)
        held = qualification_round.launched(project, settings.VAR)
        studies, graphs = project_setup.studies(project, settings.VAR), compose_batch.batch(project, settings.VAR)
        steps = Steps(project, held, studies, graphs, rating_batch.batch(project, settings.VAR))
        due = [name for name in steps.names if not notes.get(name)]
        if not due and not serve:
            return
        with served(port, host) as server:
            if serve:
                self._say(notes, "" if is_local(host) else f"http://{network_name(host)}:{port}")
            if due:
                self._line(f"{len(due)} steps of work follow, {ESTIMATE} in all. The pages are there meanwhile.")
                steps.workers = project_setup.workers(server.base, notes["accounts"], project)
            for number, name in enumerate(due, 1):
                self._step(f"{number} of {len(due)}  {steps.names[name]}", getattr(steps, name))
                notes[name] = True
                project_setup.write_notes(path, notes)
            if due:
                self._line("The demo is complete.")
            if serve:
                wait(server)

    def _step(self, what: str, work: Callable[[OnProgress], None]) -> None:
        began = monotonic()
        self._line(what)
        work(self._bar(began))
        self._line(f"        done in {monotonic() - began:.0f} s")

    def _bar(self, began: float) -> OnProgress:
        """Shows the progress of a step that began then, and how long the rest takes at its pace."""

        def show(done: int, total: int) -> None:
            if not sys.stderr.isatty() and done % 20 and done != total:
                return
            width = 30 * done // total
            left = (monotonic() - began) / done * (total - done)
            line = f"        [{'#' * width}{'.' * (30 - width)}] {done} of {total}, about {left:.0f} s left "
            in_place = sys.stderr.isatty() and done < total
            self.stderr.write(f"\r{line}" if sys.stderr.isatty() else line, ending="" if in_place else "\n")

        return show

    def _line(self, text: str) -> None:
        self.stderr.write(text)
        self.stderr.flush()

    def _say(self, notes: dict[str, Any], network: str) -> None:
        lines = ["", "Hopscribe is ready.", "", "  On this computer"]
        lines += [f"  {what:12} {url}" for what, url in notes["addresses"].items()]
        lines += ["", *(in_network(network) if network else ON_THIS_COMPUTER), "", "  Sign in"]
        lines += [f"  {a['role']:12} user {a['username']:12} password {a['password']}" for a in notes["accounts"][:2]]
        lines += ["", f"  The accounts are kept in {settings.VAR / 'demo.json'}. Stop with Ctrl+C.", ""]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def own_base(port: int, host: str) -> str:
    """How a browser on this computer reaches the site."""
    return f"http://{'localhost' if is_local(host) or host == EVERY else host}:{port}"


def addresses(base: str, slug: str) -> dict[str, str]:
    """Where each begins: a requester sees a finished study."""
    study = f"{base}/projects/{slug}/batches/{project_setup.BATCH}/"
    return {"site": f"{base}/", "annotator": f"{base}/work/", "requester": study}


def in_network(address: str) -> list[str]:
    """What the demo says when others reach it."""
    return [
        "  In your network, also on a phone",
        f"  site         {address}/",
        "  Passwords travel unencrypted: serve it only in a network that you trust.",
    ]


def wait(server: Server) -> None:
    """Block until the server ends or Ctrl+C."""
    try:
        server.wait()
    except KeyboardInterrupt:
        return
