"""The MTurk API as a Django app behind the engine."""

from django.apps import AppConfig


class MTurkApiConfig(AppConfig):
    name = "annotation.mturk_api"
    verbose_name = "MTurk API"

    def ready(self) -> None:
        from annotation.mturk_api import listeners

        listeners.register()
