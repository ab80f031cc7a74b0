"""Collect static files in a checkout; a wheel brings them."""

from typing import Any

from django.conf import settings
from django.contrib.staticfiles.management.commands import collectstatic

UNUSED = [
    "rest_framework",  # of pages that show the API to a browser, which this site does not have
    # Other builds of htmx, and extensions, whose type comments look like imports of files that are not there.
    *("django_htmx/htmx-2.js", "django_htmx/htmx-4*", "django_htmx/htmax-*", "django_htmx/ext/*"),
]


class Command(collectstatic.Command):
    def set_options(self, **options: Any) -> None:
        super().set_options(**options)
        self.ignore_patterns += UNUSED

    def handle(self, *arguments: Any, **options: Any) -> str | None:
        return super().handle(*arguments, **options) if settings.CHECKOUT else None
