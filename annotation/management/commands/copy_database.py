"""Copy everything to another database, as when SQLite has become too small."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connections

from annotation.flow import moving_house
from annotation.flow.refusal import Refused
from annotation.management.door import Door
from annotation.settings import database

TARGET = "target"


class Command(Door):
    help = "Copy every row to another, empty database, and compare counts and hashes. Stop the web server first."

    def add(self, parser: Any) -> None:
        parser.add_argument("--to", required=True, metavar="URL", help="as DATABASE_URL has it")

    def act(self, **options: Any) -> dict[str, Any]:
        try:
            connections.databases[TARGET] = connections.databases["default"] | database(options["to"])
        except (ImproperlyConfigured, ValueError) as unfit:
            self.usage(f"--to: {unfit}")
        if same(connections.databases["default"], connections.databases[TARGET]):
            raise Refused("That is the database that is in use now. Name another one.")
        try:
            call_command("migrate", database=TARGET, verbosity=0)
            copied = moving_house.copy("default", TARGET, tell=self.teller("Rows"))
        finally:
            connections[TARGET].close()
        return {"rows": sum(copied.values()), "tables": copied}

    def lines(self, result: dict[str, Any]) -> list[str]:
        rows = [f"  {count:>10,}  {table}" for table, count in result["tables"].items() if count]
        return [*rows, f"{result['rows']:,} rows copied; counts and hashes agree. Set DATABASE_URL to the new one."]


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two entries of DATABASES are one database."""
    return all(str(one.get(name) or "") == str(other.get(name) or "") for name in ("ENGINE", "NAME", "HOST", "PORT"))
