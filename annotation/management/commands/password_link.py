"""Print a link by which somebody sets a new password."""

from typing import Any

from django.conf import settings

from annotation.management.json_command import JSONCommand, account_of, words
from annotation.operations.password_links import password_path


class Command(JSONCommand):
    help = "Print a link that sets a new password, for its owner only. First verify who asks, not by email alone."

    def add(self, parser: Any) -> None:
        parser.add_argument("username", type=words(254), metavar="EMAIL", help="the login name, or the account's email")

    def act(self, **options: Any) -> dict[str, Any]:
        user = account_of(options["username"])
        return {"username": user.username, "set_password": settings.PUBLIC_URL + password_path(user)}
