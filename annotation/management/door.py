"""What all our commands share: the project, progress on stderr, one JSON document on stdout, exit codes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.db import DatabaseError

from annotation.flow import recording
from annotation.flow.joining import project_named
from annotation.flow.refusal import Refused
from annotation.management.busy import why_broken
from annotation.models import Batch, Dataset, Project


class Door(BaseCommand, ABC):
    """A command that calls one verb. Exit 0: done; 1: refused, with the reason on stderr; 2: wrong usage."""

    requires_system_checks = []  # `manage.py check`, `migrate` and the web server's start say them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--project", default="default", type=slug, metavar="SLUG", help="the project (default: default)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
        self.add(parser)

    def add(self, parser: CommandParser) -> None:
        """The command's own arguments."""

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with recording.acting(recording.Via.COMMAND):
                result = self.act(**options)
        except Refused as refusal:
            self._refuse(str(refusal), getattr(refusal, "report", None), as_json=options["json"])
        except DatabaseError as broken:
            self._refuse(why_broken(broken), None, as_json=options["json"])
        except OSError as broken:
            where = f"{broken.filename}: " if broken.filename else ""
            self._refuse(f"{where}{broken.strerror or broken}", None, as_json=options["json"])
        else:
            self._show(result, as_json=options["json"])

    @abstractmethod
    def act(self, **options: Any) -> dict[str, Any]:
        """Carry the verb out; returns what to print."""

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The result for a person."""
        return [f"{key}: {value}" for key, value in result.items()]

    def _show(self, result: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(printable(json.dumps(result, ensure_ascii=False, indent=1)))
            return
        for line in self.lines(result):
            self.stdout.write(printable(line))

    def _refuse(self, message: str, report: dict[str, Any] | None, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(
                printable(json.dumps({"refused": message, **(report or {})}, ensure_ascii=False, indent=1))
            )
        elif report:
            for line in self.lines(report):
                self.stderr.write(printable(line))
        raise CommandError(printable(message), returncode=1)

    def usage(self, message: str) -> None:
        """End with exit code 2."""
        raise CommandError(message, returncode=2)

    def warn(self, text: str) -> None:
        self.stderr.write(self.style.WARNING(text))

    def teller(self, what: str) -> Callable[[int, int], None]:
        """Progress on stderr, in place where it is a terminal."""

        def tell(done: int, total: int) -> None:
            if sys.stderr.isatty():
                share = f"{done:,} of {total:,}" if total else f"{done:,}"
                end = "\n" if total and done >= total else ""
                self.stderr.write(f"\r{what}: {share}", ending=end)

        return tell


def project_of(options: dict[str, Any]) -> Project:
    return project_named(options["project"])


def dataset_named(project: Project, name: str) -> Dataset:
    """Raises Refused, naming the datasets there are."""
    dataset = Dataset.objects.whole().filter(project=project, slug=name).first()
    if dataset is None:
        known = ", ".join(Dataset.objects.whole().filter(project=project).values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no dataset {name} in project {project.slug}. There are: {known}.")
    return dataset


def batch_named(project: Project, name: str) -> Batch:
    """Raises Refused, naming the batches there are."""
    batch = Batch.objects.filter(project=project, slug=name).first()
    if batch is None:
        known = ", ".join(Batch.objects.filter(project=project).values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no batch {name} in project {project.slug}. There are: {known}.")
    return batch


def printable(text: str) -> str:
    """The text with what UTF-8 cannot hold, such as bytes of an odd file name, as JSON's escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def slug(text: str) -> str:
    """An argument that is a slug."""
    try:
        validate_slug(text)
    except ValidationError:
        raise argparse.ArgumentTypeError(f"{text!r}: use letters, digits, - and _ only") from None
    return words(100)(text)


def words(most: int) -> Callable[[str], str]:
    """An argument that is text of at most so many characters."""

    def read(text: str) -> str:
        if len(text) > most:
            raise argparse.ArgumentTypeError(f"has {len(text)} characters; at most {most} fit")
        if text != text.encode("utf-8", "replace").decode():
            raise argparse.ArgumentTypeError("is not UTF-8 text")
        return text

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """An argument that is a whole number within bounds."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]!r}: give a whole number from {least} to {most}")
        return number

    return read


def minutes(text: str) -> float:
    """An argument that is a time in minutes, up to a day."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 24 * 60:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: give minutes, more than 0 and at most 1440")
    return number


def dollars(text: str) -> Decimal:
    """An argument that is an amount of US dollars to the cent, 0 or more."""
    try:
        amount = Decimal(text.removeprefix("$"))
        fits = amount.is_finite() and 0 <= amount < 10**6 and amount == round(amount, 2)
    except InvalidOperation:
        fits = False
    if not fits:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: give dollars, for example 0.25")
    return amount.quantize(Decimal("0.01"))


def percent(text: str) -> float:
    """An argument that is a percentage, as 0..1."""
    try:
        value = float(text) / 100
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: give a percentage from 0 to 100")
    return value


def existing(text: str) -> Path:
    """An argument that is a file or folder which can be read."""
    path = Path(text)
    try:
        path.stat()
    except OSError as broken:
        why = "does not exist" if isinstance(broken, FileNotFoundError) else f"cannot be read: {broken.strerror}"
        raise argparse.ArgumentTypeError(f"{printable(text[:200])} {why}") from None
    if not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{printable(text[:200])} cannot be read: permission denied")
    return path


def pair(text: str) -> tuple[str, Any]:
    """An argument `k=v`; v is JSON where it reads as JSON, text otherwise."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r}: write --option name=value")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
