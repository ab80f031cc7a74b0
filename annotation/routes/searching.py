"""Addresses: search over everything of a project."""

from django.urls import URLPattern, path

from annotation.views import searching

pages: list[URLPattern] = [path("projects/<slug:slug>/search/", searching.search, name="search")]
