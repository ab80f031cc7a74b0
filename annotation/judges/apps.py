"""Asking models as a Django app behind the engine."""

from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "annotation.judges"
