"""Addresses: what the viewer was told."""

from django.urls import URLPattern, path

from annotation.views import notices

pages: list[URLPattern] = [
    path("notices/", notices.notices, name="notices"),
    path("notices/read/", notices.notices_read, name="notices-read"),
    path("notices/kinds/", notices.notices_kinds, name="notices-kinds"),
    path("notices/<int:pk>/open/", notices.notice_open, name="notice-open"),
]
