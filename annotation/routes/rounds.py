"""Addresses: qualification rounds, and a worker's quality in a batch."""

from django.urls import URLPattern, path

from annotation.views import quality, rounds

BATCH = "projects/<slug:slug>/batches/<slug:batch>/"

pages: list[URLPattern] = [
    path("projects/<slug:slug>/rounds/new/", rounds.round_new, name="round-new"),
    path("projects/<slug:slug>/rounds/chances/", rounds.round_chances, name="round-chances"),
    path(f"{BATCH}round/", rounds.round_page, name="round"),
    path(f"{BATCH}round/edit/", rounds.round_edit, name="round-edit"),
    path(f"{BATCH}round/grant/", rounds.round_grant, name="round-grant"),
    path(f"{BATCH}round/undo/", rounds.round_undo, name="round-undo"),
    path(f"{BATCH}round/results.csv", rounds.round_file, name="round-file"),
    path(f"{BATCH}workers/<int:worker>/", quality.batch_worker, name="batch-worker"),
    path(f"{BATCH}workers/<int:worker>/go-on/", quality.batch_worker_resume, name="batch-worker-resume"),
    path("work/<int:pk>/again/", rounds.round_again, name="round-again"),
]
