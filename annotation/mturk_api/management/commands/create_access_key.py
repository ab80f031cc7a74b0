"""Create an access key for the MTurk API, and the requester's account if there is none."""

import argparse
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation.flow.people import requesters
from annotation.management.json_command import JSONCommand, words
from annotation.models import User
from annotation.mturk_api.flow import access_keys

MOST = Decimal("99999999.99")


def amount(text: str) -> Decimal:
    """Parse an amount of dollars to the cent, not negative."""
    try:
        found = Decimal(text)
        if not found.is_finite() or not 0 <= found <= MOST or found != found.quantize(Decimal("0.01")):
            raise InvalidOperation
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of dollars such as 250.00") from None
    return found


class Command(JSONCommand):
    help = "Create an access key for signing requests to the MTurk API; its secret is shown once."

    def add(self, parser: Any) -> None:
        parser.add_argument("email", type=words(150), metavar="EMAIL", help="email or login name of the requester")
        parser.add_argument(
            "--create", action="store_true", help="create the account and a project if they do not exist"
        )
        parser.add_argument("--balance", type=amount, metavar="AMOUNT", help="dollars to add to the budget")
        parser.set_defaults(project=None)

    @transaction.atomic
    def act(self, **options: Any) -> dict[str, Any]:
        made = requesters.requester(options["email"], create=options["create"], slug=options["project"])
        key = access_keys.make(made.project, made.user)
        access_keys.endow(made, key, options["balance"])
        data = {"access_key_id": key.key_id, "secret_access_key": key.secret, "project": made.project.slug}
        if not made.user.has_usable_password() and not options["json"]:
            data["set_password"] = _password_link(made.user)
        return data


def _password_link(user: User) -> str:
    key = urlsafe_base64_encode(force_bytes(user.pk))
    return settings.PUBLIC_URL + reverse("password-reset", args=[key, default_token_generator.make_token(user)])
