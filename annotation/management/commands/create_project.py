"""Create a project."""

import argparse
from typing import Any

from django.conf import settings

from annotation.flow.errors import Refused
from annotation.flow.people import requesters
from annotation.flow.projects import projects
from annotation.management.json_command import JSONCommand, slug, words

LONGEST = 50


def project_slug(text: str) -> str:
    if len(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"has {len(text)} characters; at most {LONGEST} fit")
    return slug(text)


class Command(JSONCommand):
    help = "Create a project with an owner."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("slug", type=project_slug, metavar="SLUG", help="used in URLs, commands and exports")
        parser.add_argument("--title", type=words(200), help="shown to people (default: the slug)")
        parser.add_argument(
            "--owner", required=True, type=words(150), metavar="NAME", help="login name or email of the owner"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")

    def act(self, **options: Any) -> dict[str, Any]:
        owner = requesters.account(options["owner"])
        if owner is None:
            hint = f"{settings.PROGRAM} create_account {options['owner']}"
            raise Refused(f"There is no account {options['owner']}. Create it first: {hint}")
        made = projects.create(owner, title=options["title"] or options["slug"], slug=options["slug"])
        return {"project": made.slug, "title": made.title, "owner": owner.username}
