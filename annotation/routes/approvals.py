"""Addresses: approving, rejecting and paying for what was submitted."""

from django.urls import URLPattern, path

from annotation.views import approvals

APPROVALS = "projects/<slug:slug>/approvals/"
pages: list[URLPattern] = [
    path(APPROVALS, approvals.approvals, name="approvals"),
    path(f"{APPROVALS}decide/", approvals.approvals_decide, name="approvals-decide"),
    path(f"{APPROVALS}decisions.csv", approvals.approvals_file, name="approvals-file"),
    path(f"{APPROVALS}<slug:public_id>/", approvals.approval, name="approval"),
]
