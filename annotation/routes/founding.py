"""Addresses: making a project."""

from django.urls import URLPattern, path

from annotation.views import founding

pages: list[URLPattern] = [path("projects/new/", founding.project_new, name="project-new")]
