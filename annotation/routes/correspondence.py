"""Addresses: letters between requesters and workers, on either side."""

from django.urls import URLPattern, path

from annotation.views import correspondence

PROJECT = "projects/<slug:slug>/"

pages: list[URLPattern] = [
    path(f"{PROJECT}messages/", correspondence.letters, name="letters"),
    path(f"{PROJECT}messages/<slug:public_id>/", correspondence.thread, name="thread"),
    path(f"{PROJECT}people/annotators/<int:pk>/messages/", correspondence.worker_letters, name="worker-letters"),
    path("assignments/<slug:public_id>/messages/", correspondence.my_thread, name="my-thread"),
]
