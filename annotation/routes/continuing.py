"""Addresses: a batch again, and the next items of its datasets."""

from django.urls import URLPattern, path

from annotation.views import continuing

BATCH = "projects/<slug:slug>/batches/<slug:batch>/"

pages: list[URLPattern] = [
    path(f"{BATCH}clone/", continuing.batch_clone, name="batch-clone"),
    path(f"{BATCH}next/", continuing.batch_next, name="batch-next"),
]
