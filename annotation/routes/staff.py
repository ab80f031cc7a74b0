"""Addresses: each worker's page, the hours sheet, and HITs given to chosen workers."""

from django.urls import URLPattern, path

from annotation.views import annotators, giving, hours

WORKER = "projects/<slug:slug>/people/annotators/<int:pk>/"

pages: list[URLPattern] = [
    path("projects/<slug:slug>/hours/", hours.hours, name="hours"),
    path("projects/<slug:slug>/batches/<slug:batch>/give/", giving.batch_give, name="batch-give"),
    path("projects/<slug:slug>/batches/<slug:batch>/take-back/", giving.batch_take_back, name="batch-take-back"),
    path(WORKER, annotators.annotator, name="annotator"),
    path(f"{WORKER}pause/", annotators.annotator_act, {"act": "pause"}, name="annotator-pause"),
    path(f"{WORKER}resume/", annotators.annotator_act, {"act": "resume"}, name="annotator-resume"),
    path(f"{WORKER}block/", annotators.annotator_act, {"act": "block"}, name="annotator-block"),
    path(f"{WORKER}let-in/", annotators.annotator_act, {"act": "unblock"}, name="annotator-unblock"),
]
