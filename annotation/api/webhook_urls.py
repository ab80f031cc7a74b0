"""The API's addresses of webhooks."""

from django.urls import URLPattern, path

from annotation.api import webhooks

ALL = "api/v1/projects/<slug:slug>/webhooks/"
ONE = f"{ALL}<slug:public_id>/"

pages: list[URLPattern] = [
    path(ALL, webhooks.Webhooks.as_view(), name="api-webhooks"),
    path(ONE, webhooks.OneWebhook.as_view(), name="api-webhook"),
    path(f"{ONE}rotate/", webhooks.Rotate.as_view(), name="api-webhook-rotate"),
    path(f"{ONE}test/", webhooks.Test.as_view(), name="api-webhook-test"),
    path(f"{ONE}deliveries/", webhooks.Deliveries.as_view(), name="api-deliveries"),
    path(f"{ONE}deliveries/<int:pk>/again/", webhooks.SendAgain.as_view(), name="api-delivery-again"),
]
