"""Turn off two-factor authentication for an account whose owner lost both authenticator and codes."""

from typing import Any

from annotation.flow.errors import Refused
from annotation.flow.people import two_factor
from annotation.management.json_command import JSONCommand, words
from annotation.models import User


class Command(JSONCommand):
    help = "Turn off two-factor authentication for an account. First verify its owner's identity, not by email alone."

    def add(self, parser: Any) -> None:
        parser.add_argument("username", type=words(254), metavar="EMAIL", help="the login name, or the account's email")

    def act(self, **options: Any) -> dict[str, Any]:
        name = options["username"]
        found = [user] if (user := User.objects.named(name)) else list(User.objects.filter(email__iexact=name)[:2])
        if len(found) != 1:
            raise Refused(f"{'Several accounts have' if found else 'No account has'} the name or email {name}.")
        if not two_factor.remove(found[0]):
            raise Refused(f"{found[0].username} does not use two-factor authentication.")
        return {"username": found[0].username, "second_factor": "removed"}
