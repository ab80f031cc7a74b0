"""The invented encyclopedia, its simulated workers and the example dataset, as a Django app behind the engine."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "annotation.demo"
