"""Encrypt stored secrets with the current SECRET_KEY, after which the previous key is no longer needed."""

from typing import Any

from annotation.management.json_command import JSONCommand
from annotation.operations import secret_rotation


class Command(JSONCommand):
    help = "Encrypt the stored keys of marketplaces, webhooks and authenticators anew with the current SECRET_KEY."

    def act(self, **options: Any) -> dict[str, Any]:
        return {"sealed": secret_rotation.reseal()}
