"""Trying batches out with simulated workers, as a Django app behind the engine."""

from django.apps import AppConfig


class DryRunConfig(AppConfig):
    name = "annotation.dry_run"
