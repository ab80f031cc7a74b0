"""Put money into a project's budget, or take it out."""

import secrets
from typing import Any

from annotation.flow import ledger
from annotation.management.door import Door, dollars, project_of, slug, words


class Command(Door):
    help = "Put dollars into a project's budget, or take them out."

    def add(self, parser: Any) -> None:
        parser.add_argument("dollars", type=dollars)
        parser.add_argument("--out", action="store_true", help="take them out instead")
        parser.add_argument("--note", type=words(300), default="", help="where they come from or go to")
        parser.add_argument("--key", type=slug, help="the same key moves money once, however often it is run")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        amount = -options["dollars"] if options["out"] else options["dollars"]
        key = options["key"] or secrets.token_hex(8)
        ledger.deposit(project, amount, key=f"deposit/{key}", note=options["note"])
        return {"project": project.slug, "budget": str(ledger.balance(project, ledger.AVAILABLE))}
