"""Create a project."""

from typing import Any

from django.conf import settings

from annotation.flow.errors import Refused
from annotation.flow.people import requesters
from annotation.flow.projects.parsing import parse
from annotation.flow.projects.projects import create_project
from annotation.flow.projects.settings import SETTINGS
from annotation.management.json_command import JSONCommand, slug, words
from annotation.management.setting_options import add_options, given_settings

NAME = SETTINGS["name"]
OPTIONS = [one for one in SETTINGS.values() if one is not NAME]


class Command(JSONCommand):
    help = "Create a project with an owner."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument(
            "slug",
            type=lambda text: words(NAME.length)(slug(text)),
            metavar="SLUG",
            help="its name in URLs, commands and exports",
        )
        add_options(parser, OPTIONS, title="the slug")
        parser.add_argument(
            "--owner", required=True, type=words(150), metavar="NAME", help="login name or email of the owner"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")

    def act(self, **options: Any) -> dict[str, Any]:
        owner = requesters.account(options["owner"])
        if owner is None:
            hint = f"{settings.PROGRAM} create_account {options['owner']}"
            raise Refused(f"There is no account {options['owner']}. Create it first: {hint}")
        made = create_project(owner, parse(given_settings(options, OPTIONS) | {"name": options["slug"]}, user=owner))
        return {"project": made.slug, "title": made.title, "owner": owner.username}
