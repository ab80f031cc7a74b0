"""Add money to a project's budget, or withdraw it."""

import secrets
from typing import Any

from annotation.flow.money import ledger
from annotation.flow.money.ledger import DEPOSIT
from annotation.management.json_command import JSONCommand, project_of, slug
from annotation.management.setting_options import add_options, parser_of

NOTE = [DEPOSIT["note"]]


class Command(JSONCommand):
    help = "Add dollars to a project's budget, or withdraw them."

    def add(self, parser: Any) -> None:
        parser.add_argument("dollars", type=parser_of(DEPOSIT["dollars"]))
        parser.add_argument("--out", action="store_true", help="withdraw instead")
        add_options(parser, NOTE)
        parser.add_argument("--key", type=slug, help="idempotency key: repeating the command with it changes nothing")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        amount = -options["dollars"] if options["out"] else options["dollars"]
        key = options["key"] or secrets.token_hex(8)
        ledger.deposit(project, amount, key=f"deposit/{key}", note=options["note"] or "")
        return {"project": project.slug, "budget": str(ledger.balance(project, ledger.AVAILABLE))}
