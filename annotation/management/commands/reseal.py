"""Seal the secrets at rest with the present SECRET_KEY, after which the one before can be forgotten."""

from __future__ import annotations

from typing import Any

from annotation.flow import resealing
from annotation.management.door import Door


class Command(Door):
    help = "Seal keys of marketplaces, webhooks and authenticators with SECRET_KEY, once the fallbacks opened them."

    def act(self, **options: Any) -> dict[str, Any]:
        return {"sealed": resealing.reseal()}
