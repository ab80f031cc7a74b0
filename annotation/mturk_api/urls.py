"""URLs of the MTurk API on the main site, of access keys, and for pages of its HITs."""

from django.urls import URLPattern, path, re_path

from annotation.mturk_api.endpoint import endpoint
from annotation.mturk_api.views import access_keys, external_question

pages: list[URLPattern] = [
    path("mturk/", endpoint, name="mturk-api"),
    path("mturk", endpoint, name="mturk-api-bare"),  # clients may drop the trailing slash
    path("mturk/queues/<str:name>", endpoint, name="mturk-queue"),
    path("mturk/preview", external_question.preview_by_id, name="marketplace-by-id"),
    path("projects/<slug:slug>/keys/", access_keys.key_list, name="access-keys"),
    path("projects/<slug:slug>/keys/<int:pk>/revoke/", access_keys.revoke, name="access-key-revoke"),
    re_path(r"^(?:/)?mturk/externalSubmit/?$", external_question.external_submit, name="external-submit"),
    path("mturk/question/<str:token>/", external_question.html_question, name="html-question"),
    path("assignments/<slug:public_id>/state/", external_question.assignment_state, name="assignment-state"),
]
