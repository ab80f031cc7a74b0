"""URLs of studies' pages."""

from django.urls import URLPattern, path

from annotation.studies import views

ALL = "projects/<slug:slug>/studies/"

pages: list[URLPattern] = [
    path(ALL, views.studies, name="studies"),
    path(f"{ALL}<slug:name>/", views.study, name="study"),
    path(f"{ALL}<slug:name>/runs/<slug:run>/scores/", views.scores, name="study-scores"),
]
