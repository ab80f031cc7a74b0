"""Make a token for the API, and the requester who uses it where there is none."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.flow import api_tokens, keys
from annotation.management.door import Door, words
from annotation.models import ApiToken


class Command(Door):
    help = "Make a token with which scripts and notebooks call the API; it is shown once."

    def add(self, parser: Any) -> None:
        parser.add_argument("email", type=words(150), metavar="EMAIL", help="email or login name of the requester")
        parser.add_argument(
            "--create", action="store_true", help="make the account and a project of theirs where they are missing"
        )
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default="write", help="what it may do")
        parser.add_argument("--note", type=words(100), default="", help="what it is for")
        parser.set_defaults(project=None)

    @transaction.atomic
    def act(self, **options: Any) -> dict[str, Any]:
        made = keys.requester(options["email"], create=options["create"], slug=options["project"])
        token, text = api_tokens.make(made.user, project=made.project, scope=options["scope"], note=options["note"])
        return {"token": text, "project": made.project.slug, "scope": token.scope}

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The token alone on stdout, so that a shell can take it; what it opens goes to stderr."""
        if "token" not in result:
            return super().lines(result)
        self.stderr.write(f"project: {result['project']}, scope: {result['scope']}")
        return [result["token"]]
