"""Addresses: qualification types and requests for requesters, and the worker's own side of the crowd."""

from django.urls import path

from annotation.views import granting, people, qualifications, signing_up, standing

TYPES = "projects/<slug:slug>/qualifications/"

pages = [
    path(TYPES, qualifications.qualifications, name="qualifications"),
    path(f"{TYPES}new/", qualifications.qualification_new, name="qualification-new"),
    path(f"{TYPES}<slug:public_id>/", qualifications.qualification, name="qualification"),
    path(f"{TYPES}<slug:public_id>/edit/", qualifications.qualification_edit, name="qualification-edit"),
    path(f"{TYPES}<slug:public_id>/retire/", qualifications.qualification_retire, name="qualification-retire"),
    path(f"{TYPES}<slug:public_id>/restore/", qualifications.qualification_restore, name="qualification-restore"),
    path(f"{TYPES}<slug:public_id>/grant/", granting.qualification_grant, name="qualification-grant"),
    path(f"{TYPES}<slug:public_id>/rule/", granting.qualification_rule, name="qualification-rule"),
    path(f"{TYPES}<slug:public_id>/revoke/", qualifications.qualification_revoke, name="qualification-revoke"),
    path(f"{TYPES}<slug:public_id>/undo/", qualifications.qualification_undo, name="qualification-undo"),
    path(f"{TYPES}<slug:public_id>/requests/", qualifications.qualification_requests, name="qualification-requests"),
    path("projects/<slug:slug>/people/annotators/<int:pk>/unblock/", people.worker_unblock, name="worker-unblock"),
    path("work/qualifications/", standing.my_qualifications, name="my-qualifications"),
    path("work/qualifications/<slug:public_id>/ask/", standing.qualification_ask, name="qualification-ask"),
    path("work/earnings/", standing.my_earnings, name="my-earnings"),
    path("work/messages/", standing.my_messages, name="my-messages"),
    path("work/messages/<slug:slug>/", standing.message_write, name="message-write"),
    path("work/details/<slug:slug>/", standing.my_details, name="my-details"),
    path("work/details/<slug:slug>/mturk-id/", standing.claim_mturk_id, name="claim-mturk-id"),
    path("projects/<slug:slug>/people/mturk-ids/", people.mturk_ids_import, name="import-mturk-ids"),
    path("projects/<slug:slug>/join/", signing_up.open_join, name="open-join"),
]
