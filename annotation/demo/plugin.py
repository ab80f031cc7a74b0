"""What the engine finds of this app: the page that imports the example dataset."""

from django.urls import path

from annotation.demo import views

PAGES = [
    path("projects/<slug:slug>/datasets/new/example/", views.dataset_example, name="dataset-example"),
]
