"""Addresses: the house marketplace: discovering, previewing and doing others' HITs; tests of qualifications."""

from django.urls import path, re_path

from annotation.views import examining, marketplace, strangers

pages = [
    path("marketplace/", marketplace.marketplace, name="marketplace"),
    path("marketplace/<int:pk>/", marketplace.group, name="marketplace-group"),
    path("marketplace/<int:pk>/start/", marketplace.group_start, name="marketplace-start"),
    path("marketplace/hits/<slug:public_id>/", marketplace.hit, name="marketplace-hit"),
    path("marketplace/hits/<slug:public_id>/accept/", marketplace.accept, name="marketplace-accept"),
    path("marketplace/automatic/", marketplace.automatic, name="marketplace-automatic"),
    path("qualification-tests/<slug:public_id>/", examining.qualification_test, name="qualification-test"),
    path("mturk/preview", marketplace.preview_by_id, name="marketplace-by-id"),
    re_path(r"^(?:/)?mturk/externalSubmit/?$", strangers.external_submit, name="external-submit"),
    path("mturk/question/<str:token>/", strangers.html_question, name="html-question"),
    path("assignments/<slug:public_id>/state/", strangers.assignment_state, name="assignment-state"),
]
