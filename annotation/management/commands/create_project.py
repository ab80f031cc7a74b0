"""Make a project from the command line."""

from __future__ import annotations

import argparse
from typing import Any

from annotation.flow import founding, keys
from annotation.flow.refusal import Refused
from annotation.management.door import Door, slug, words

LONGEST = 50


def project_slug(text: str) -> str:
    if len(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"has {len(text)} characters; at most {LONGEST} fit")
    return slug(text)


class Command(Door):
    help = "Make a project that somebody owns."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("slug", type=project_slug, metavar="SLUG", help="its name in addresses, commands, exports")
        parser.add_argument("--title", type=words(200), help="what people read (default: the slug)")
        parser.add_argument("--owner", required=True, type=words(150), metavar="NAME", help="login name or email")
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")

    def act(self, **options: Any) -> dict[str, Any]:
        owner = keys.account(options["owner"])
        if owner is None:
            hint = f"manage.py create_account {options['owner']}"
            raise Refused(f"There is no account {options['owner']}. Make it first: {hint}")
        made = founding.found(owner, title=options["title"] or options["slug"], slug=options["slug"])
        return {"project": made.slug, "title": made.title, "owner": owner.username}
