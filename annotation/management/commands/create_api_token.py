"""Create an API token, and the requester's account if there is none."""

from typing import Any

from django.db import transaction

from annotation.flow.people import requesters
from annotation.flow.projects import api_tokens
from annotation.management.json_command import JSONCommand, words
from annotation.models import ApiToken


class Command(JSONCommand):
    help = "Create an API token for scripts and notebooks; it is shown once."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("email", type=words(150), metavar="EMAIL", help="email or login name of the requester")
        add("--create", action="store_true", help="create the account and a project if they do not exist")
        add("--scope", choices=ApiToken.Scope.values, default="write", help="permission (default: write)")
        add("--note", type=words(100), default="", help="purpose of the token")
        parser.set_defaults(project=None)

    @transaction.atomic
    def act(self, **options: Any) -> dict[str, Any]:
        made = requesters.requester(options["email"], create=options["create"], slug=options["project"])
        token, text = api_tokens.make(made.user, project=made.project, scope=options["scope"], note=options["note"])
        return {"token": text, "project": made.project.slug, "scope": token.scope}

    def lines(self, result: dict[str, Any]) -> list[str]:
        """Only the token on stdout, so that a shell can capture it; project and scope go to stderr."""
        if "token" not in result:
            return super().lines(result)
        self.stderr.write(f"project: {result['project']}, scope: {result['scope']}")
        return [result["token"]]
