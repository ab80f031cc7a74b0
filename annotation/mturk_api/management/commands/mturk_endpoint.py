"""Serve the MTurk API at `/` of a separate host and port, together with the pages for workers."""

import argparse
import ipaddress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from gunicorn.app.base import BaseApplication


def place(text: str) -> str:
    """Parse HOST:PORT, as gunicorn binds to it."""
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdigit() and int(port) < 2**16):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8001")
    return text


def is_loopback(bind: str) -> bool:
    """Whether only this machine can reach the address."""
    host = bind.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Endpoint(BaseApplication):
    """The production web server, with the MTurk API at its root."""

    def __init__(self, bind: str, workers: int, threads: int) -> None:
        self.bind, self.workers, self.threads = bind, workers, threads
        super().__init__()

    def load_config(self) -> None:
        chosen = {
            "bind": self.bind,
            "worker_class": "annotation.operations.buffering_worker.BufferingWorker",
            "workers": self.workers,
            "threads": self.threads,
            "timeout": 60,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": _work_off,
        }
        for name, value in chosen.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The WSGI application with the MTurk API at `/`; on loopback it requires neither HTTPS nor a host name."""
        settings.ROOT_URLCONF = "annotation.mturk_api.endpoint_urls"
        if is_loopback(self.bind):
            settings.SECURE_SSL_REDIRECT = False
            settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, *settings.LOCAL_HOSTS]
        from django.core.wsgi import get_wsgi_application

        return get_wsgi_application()


def _work_off(worker: Any) -> None:
    """Without a broker, also run due background jobs in each worker process, as the site's do."""
    from annotation.operations import background_thread

    if settings.EMBEDDED_JOBS:
        background_thread.start()


class Command(BaseCommand):
    help = "Serve the MTurk API for requesters at / until Ctrl+C, for boto3's endpoint_url."
    requires_system_checks = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--bind", type=place, default="127.0.0.1:8001", metavar="HOST:PORT")
        parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
        parser.add_argument("--threads", type=int, default=8, help="threads in each (default: 8)")

    def handle(self, *_: Any, **options: Any) -> None:
        call_command("check", databases=["default"])
        if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():  # without it no page can be shown
            call_command("collectstatic", interactive=False, verbosity=0)
        self.stdout.write(f"The MTurk API listens on http://{options['bind']}/. Stop with Ctrl+C.")
        self.stdout.flush()
        Endpoint(options["bind"], options["workers"], options["threads"]).run()
