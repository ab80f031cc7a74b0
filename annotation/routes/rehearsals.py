"""Addresses: rehearsals of a batch."""

from django.urls import URLPattern, path

from annotation.views import rehearsals

pages: list[URLPattern] = [
    path("projects/<slug:slug>/batches/<slug:batch>/rehearsals/", rehearsals.rehearsals, name="rehearsals"),
]
