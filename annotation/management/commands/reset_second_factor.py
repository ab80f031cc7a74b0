"""Turn off two-factor authentication for an account whose owner lost both authenticator and codes."""

from typing import Any

from annotation.flow.errors import Refused
from annotation.flow.people import two_factor
from annotation.management.json_command import JSONCommand, account_of, words


class Command(JSONCommand):
    help = "Turn off two-factor authentication for an account. First verify its owner's identity, not by email alone."

    def add(self, parser: Any) -> None:
        parser.add_argument("username", type=words(254), metavar="EMAIL", help="the login name, or the account's email")

    def act(self, **options: Any) -> dict[str, Any]:
        user = account_of(options["username"])
        if not two_factor.remove(user):
            raise Refused(f"{user.username} does not use two-factor authentication.")
        return {"username": user.username, "second_factor": "removed"}
