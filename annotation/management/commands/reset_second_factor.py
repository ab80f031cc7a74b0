"""Take the second factor off an account whose owner lost both authenticator and codes."""

from __future__ import annotations

from typing import Any

from annotation.flow import proving
from annotation.flow.refusal import Refused
from annotation.management.door import Door, words
from annotation.models import User


class Command(Door):
    help = (
        "Take the second factor off an account; make sure first, and not by email alone, that it is its owner who asks."
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("username", type=words(254), metavar="EMAIL", help="the login name, or the account's email")

    def act(self, **options: Any) -> dict[str, Any]:
        name = options["username"]
        found = list(User.objects.filter(username__iexact=name) or User.objects.filter(email__iexact=name)[:2])
        if len(found) != 1:
            raise Refused(f"{'Several accounts have' if found else 'No account has'} the name or email {name}.")
        if not proving.remove(found[0]):
            raise Refused(f"{found[0].username} has no second factor.")
        return {"username": found[0].username, "second_factor": "removed"}
