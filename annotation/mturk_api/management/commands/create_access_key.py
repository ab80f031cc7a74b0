"""Create an access key for the MTurk API, and the requester's account if there is none."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.flow.money.ledger import DEPOSIT
from annotation.flow.people import requesters
from annotation.management.json_command import JSONCommand, words
from annotation.management.setting_options import parser_of
from annotation.mturk_api.flow import access_keys
from annotation.operations.password_links import password_path


class Command(JSONCommand):
    help = "Create an access key for signing requests to the MTurk API; its secret is shown once."

    def add(self, parser: Any) -> None:
        parser.add_argument("email", type=words(150), metavar="EMAIL", help="email or login name of the requester")
        parser.add_argument(
            "--create", action="store_true", help="create the account and a project if they do not exist"
        )
        dollars = parser_of(replace(DEPOSIT["dollars"], least=Decimal(0)))
        parser.add_argument("--balance", type=dollars, metavar="AMOUNT", help="dollars to add to the budget")
        parser.set_defaults(project=None)

    @transaction.atomic
    def act(self, **options: Any) -> dict[str, Any]:
        made = requesters.requester(options["email"], create=options["create"], slug=options["project"])
        key = access_keys.make(made.project, made.user)
        access_keys.endow(made, key, options["balance"])
        data = {"access_key_id": key.key_id, "secret_access_key": key.secret, "project": made.project.slug}
        if not made.user.has_usable_password() and not options["json"]:
            data["set_password"] = settings.PUBLIC_URL + password_path(made.user)
        return data
