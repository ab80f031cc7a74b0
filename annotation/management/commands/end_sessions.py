"""End the sessions of an account, or of everybody."""

from typing import Any

from django.db.models import F

from annotation.flow.errors import Refused
from annotation.flow.people import sign_in
from annotation.management.json_command import JSONCommand, account_of, words
from annotation.models import User


class Command(JSONCommand):
    help = "Sign an account out everywhere, or with --all everybody. API tokens and access keys stay valid."

    def add(self, parser: Any) -> None:
        parser.add_argument("username", nargs="?", type=words(254), metavar="EMAIL", help="login name or email")
        parser.add_argument("--all", action="store_true", help="everybody")

    def act(self, **options: Any) -> dict[str, Any]:
        if bool(options["username"]) == options["all"]:
            raise Refused("Name an account, or give --all.")
        if options["all"]:
            return {"accounts": User.objects.update(sessions_ended=F("sessions_ended") + 1)}
        sign_in.end_all(account_of(options["username"]))
        return {"accounts": 1}
