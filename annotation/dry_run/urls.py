"""URLs of dry runs."""

from django.urls import URLPattern, path

from annotation.dry_run import views

pages: list[URLPattern] = [
    path("projects/<slug:slug>/batches/<slug:batch>/dry_runs/", views.dry_runs, name="dry_runs"),
]
