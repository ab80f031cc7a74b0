"""The base of all commands: --project, progress on stderr, JSON on stdout, exit codes, types of arguments."""

import argparse
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.db import DatabaseError, connection
from django.db.models import QuerySet

from annotation.flow.errors import Refused
from annotation.flow.people import requesters
from annotation.flow.projects import audit_log
from annotation.flow.projects.projects import project_named
from annotation.flow.projects.request_context import acting
from annotation.models import Batch, Dataset, Project, User
from annotation.operations import wake_ups
from annotation.operations.open_files import processes_using
from annotation.operations.unfinished import Unfinished
from annotation.recruitment import Marketplace, find_marketplace, marketplaces
from annotation.registry import presets

T = TypeVar("T")


class JSONCommand(BaseCommand, ABC):
    """A command that calls one function. Exit code 0: done; 1: refused, with the reason on stderr; 2: wrong usage."""

    requires_system_checks = []  # they run in `check`, `migrate` and at the web server's start; here they cost seconds

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--project", default="default", type=slug, metavar="SLUG", help="name of the project (default: default)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
        self.add(parser)

    def add(self, parser: CommandParser) -> None:
        """Add the command's own arguments."""

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with acting(audit_log.Via.COMMAND):
                result = self.act(**options)
        except Refused as refusal:
            self._refuse(str(refusal), getattr(refusal, "report", None), as_json=options["json"])
        except DatabaseError as broken:
            self._refuse(why_broken(broken), None, as_json=options["json"])
        except OSError as broken:
            where = f"{broken.filename}: " if broken.filename else ""
            self._refuse(f"{where}{broken.strerror or broken}", None, as_json=options["json"])
        else:
            wake_ups.wake()
            self._show(result, as_json=options["json"])

    @abstractmethod
    def act(self, **options: Any) -> dict[str, Any]:
        """Do the work and return what to print."""

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The result as text, without --json."""
        return [f"{key}: {value}" for key, value in result.items()]

    def _show(self, result: dict[str, Any], *, as_json: bool) -> None:
        lines = [json.dumps(result, ensure_ascii=False, indent=1)] if as_json else self.lines(result)
        for line in lines:
            self.stdout.write(printable(line))

    def _refuse(self, message: str, report: dict[str, Any] | None, *, as_json: bool) -> None:
        if as_json:
            self._show({"refused": message, **(report or {})}, as_json=True)
        elif report:
            for line in self.lines(report):
                self.stderr.write(printable(line))
        raise CommandError(printable(message), returncode=1)

    def usage(self, message: str) -> None:
        """Exit with code 2 and this message."""
        raise CommandError(message, returncode=2)

    def warn(self, text: str) -> None:
        self.stderr.write(self.style.WARNING(text))

    def progress_printer(self, what: str) -> Callable[[int, int], None]:
        """A callback that shows progress on stderr if that is a terminal."""

        def progress(done: int, total: int) -> None:
            if sys.stderr.isatty():
                share = f"{done:,} of {total:,}" if total else f"{done:,}"
                end = "\n" if total and done >= total else ""
                self.stderr.write(f"\r{what}: {share}", ending=end)

        return progress


def account_of(name: str) -> User:
    """The account of that login name, or the only one of that email. Raises Refused."""
    if user := requesters.account(name):
        return user
    raise Refused(f"No account has the name or email {name}.")


def project_of(options: dict[str, Any]) -> Project:
    return project_named(options["project"])


def dataset_named(project: Project, name: str) -> Dataset:
    """The dataset of that name. Raises Refused, naming the existing ones."""
    return _named(Dataset.objects.whole().filter(project=project), "dataset", project, name)


def batch_named(project: Project, name: str) -> Batch:
    """The batch of that name. Raises Refused, naming the existing ones."""
    return _named(Batch.objects.filter(project=project), "batch", project, name)


M = TypeVar("M", Dataset, Batch)


def _named(rows: QuerySet[M], what: str, project: Project, name: str) -> M:
    row = rows.filter(slug=name).first()
    if row is None:
        known = ", ".join(rows.values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no {what} {name} in project {project.slug}. There are: {known}.")
    return row


def printable(text: str) -> str:
    """The text with characters that UTF-8 cannot encode, such as bytes of an odd file name, escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def slug(text: str) -> str:
    """Parse a slug."""
    try:
        validate_slug(text)
    except ValidationError:
        raise argparse.ArgumentTypeError(f"{text!r}: use letters, digits, - and _ only") from None
    return words(100)(text)


def words(most: int | None) -> Callable[[str], str]:
    """A parser of text with at most so many characters; None: any number."""

    def read(text: str) -> str:
        if most is not None and len(text) > most:
            raise argparse.ArgumentTypeError(f"has {len(text)} characters; the maximum is {most}")
        if text != text.encode("utf-8", "replace").decode():
            raise argparse.ArgumentTypeError("is not UTF-8 text")
        return text

    return read


def reader(read: Callable[[str], T], fits: Callable[[T], bool], says: str) -> Callable[[str], T]:
    """A parser of what `read` can read and `fits` accepts; of anything else it complains "give {says}"."""

    def parse(text: str) -> T:
        with suppress(ValueError, OSError):
            if fits(value := read(text)):
                return value
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: give {says}")

    return parse


def integer_between(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers within bounds."""
    return reader(int, lambda number: least <= number <= most, f"a whole number from {least} to {most}")


minutes = reader(float, lambda number: 0 < number <= 24 * 60, "minutes, more than 0 and at most 1440")
percent = reader(lambda text: float(text) / 100, lambda share: 0 <= share <= 1, "a percentage from 0 to 100")


def rubric(text: str) -> Path:
    """Parse the name of a preset of rubrics, or the path of a readable file."""
    return presets("rate").get(text) or existing(text)


def existing(text: str) -> Path:
    """Parse the path of a readable file or folder."""
    path = Path(text)
    try:
        path.stat()
    except OSError as broken:
        why = "does not exist" if isinstance(broken, FileNotFoundError) else f"cannot be read: {broken.strerror}"
        raise argparse.ArgumentTypeError(f"{printable(text[:200])} {why}") from None
    if not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{printable(text[:200])} cannot be read: permission denied")
    return path


content = reader(lambda path: existing(path).read_text(encoding="utf-8"), lambda _text: True, "a file of UTF-8 text")


def pair(text: str) -> tuple[str, Any]:
    """Parse `k=v`; v is decoded as JSON if it is valid JSON, else kept as text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r}: write --option name=value")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def marketplace_named(project: Project, name: str) -> Marketplace:
    """The marketplace of that name. Raises Refused, naming the existing ones."""
    available = marketplaces().available(project)
    if (marketplace := find_marketplace(available, name)) is None:
        known = ", ".join(one.name for one in available) or "none"
        raise Refused(f"There is no marketplace {name} in project {project.slug}. There are: {known}.")
    return marketplace


LOCKED = ("database is locked", "database table is locked", "lock timeout")


def why_broken(broken: DatabaseError) -> str:
    message = str(broken).strip()
    if isinstance(broken, Unfinished):
        return message
    if not any(words in message for words in LOCKED):
        return f"{message}. Is the database running and migrated? Run: {settings.PROGRAM} migrate"
    users = processes_using(Path(str(connection.settings_dict["NAME"]))) if connection.vendor == "sqlite" else []
    who = f" It is open in {', '.join(users)}." if users else ""
    return f"The database is busy: another process has been writing for too long.{who} Nothing was changed. Try again."
