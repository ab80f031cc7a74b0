"""Copy everything to another database, for example from SQLite to PostgreSQL."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connections

from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand
from annotation.operations import copy_database
from annotation.settings import database

TARGET = "target"


class Command(JSONCommand):
    help = "Copy all rows to an empty database, and compare counts and hashes. Stop the web server first."

    def add(self, parser: Any) -> None:
        parser.add_argument("--to", required=True, metavar="URL", help="in the form of DATABASE_URL")

    def act(self, **options: Any) -> dict[str, Any]:
        try:
            connections.databases[TARGET] = connections.databases["default"] | database(options["to"])
        except (ImproperlyConfigured, ValueError) as invalid:
            self.usage(f"--to: {invalid}")
        if same(connections.databases["default"], connections.databases[TARGET]):
            raise Refused("This is the database in use. Name another one.")
        try:
            call_command("migrate", database=TARGET, verbosity=0)
            copied = copy_database.copy("default", TARGET, progress=self.progress_printer("Rows"))
        finally:
            connections[TARGET].close()
        return {"rows": sum(copied.values()), "tables": copied}

    def lines(self, result: dict[str, Any]) -> list[str]:
        rows = [f"  {count:>10,}  {table}" for table, count in result["tables"].items() if count]
        return [*rows, f"{result['rows']:,} rows copied; counts and hashes agree. Now change DATABASE_URL."]


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two entries of DATABASES name the same database."""
    return all(str(one.get(name) or "") == str(other.get(name) or "") for name in ("ENGINE", "NAME", "HOST", "PORT"))
