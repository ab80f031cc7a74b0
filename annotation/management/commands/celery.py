"""Celery's command line, where nobody knows the folder of the package."""

from argparse import REMAINDER
from typing import Any

from django.core.management.base import BaseCommand

from annotation.celery import app


class Command(BaseCommand):
    help = "Run background jobs with a broker: `celery worker` and `celery beat`, with Celery's own options."
    requires_system_checks = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("arguments", nargs=REMAINDER, metavar="worker|beat …")

    def handle(self, *_: Any, arguments: list[str], **options: Any) -> None:
        app.start(arguments)
