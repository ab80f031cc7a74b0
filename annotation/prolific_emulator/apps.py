"""A server that behaves like Prolific's API, for trying studies out and for tests, as a Django app without rows."""

from django.apps import AppConfig


class ProlificEmulatorConfig(AppConfig):
    name = "annotation.prolific_emulator"
