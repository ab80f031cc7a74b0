"""Addresses: what a project has called when something happens."""

from django.urls import URLPattern, path

from annotation.views import webhooks

ALL = "projects/<slug:slug>/webhooks/"
ONE = f"{ALL}<slug:public_id>/"

pages: list[URLPattern] = [
    path(ALL, webhooks.webhooks, name="webhooks"),
    path(ONE, webhooks.webhook, name="webhook"),
    path(f"{ONE}test/", webhooks.webhook_test, name="webhook-test"),
    path(f"{ONE}active/", webhooks.webhook_active, name="webhook-active"),
    path(f"{ONE}rotate/", webhooks.webhook_rotate, name="webhook-rotate"),
    path(f"{ONE}remove/", webhooks.webhook_remove, name="webhook-remove"),
    path(f"{ONE}deliveries/<int:pk>/again/", webhooks.delivery_again, name="delivery-again"),
]
