"""URL of the example dataset."""

from django.urls import URLPattern, path

from annotation.demo import views

pages: list[URLPattern] = [
    path("projects/<slug:slug>/datasets/new/example/", views.dataset_example, name="dataset-example"),
]
