"""The engine as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = _("Annotation")

    def ready(self) -> None:
        # registers the system checks, and refuses connections while an upgrade or a restore is unfinished
        from annotation.operations import checks, unfinished  # noqa: F401
