"""URLs of the page of broken bridges."""

from django.urls import URLPattern, path

from annotation.bridges import views

ALL = "projects/<slug:slug>/bridges/"

pages: list[URLPattern] = [
    path(ALL, views.broken_bridges, name="broken-bridges"),
    path(f"{ALL}<int:pk>/undo/", views.undo, name="broken-bridge-undo"),
]
