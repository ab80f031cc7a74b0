"""Django app of the MTurk API."""

from django.apps import AppConfig


class MTurkApiConfig(AppConfig):
    name = "annotation.mturk_api"
    verbose_name = "MTurk API"

    def ready(self) -> None:
        from annotation import events

        events.listen_all("annotation.mturk_api.listeners")
