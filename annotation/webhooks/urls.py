"""URLs of webhooks' pages."""

from django.urls import URLPattern, path

from annotation.webhooks import views

ALL = "projects/<slug:slug>/webhooks/"
ONE = f"{ALL}<slug:public_id>/"

pages: list[URLPattern] = [
    path(ALL, views.webhooks, name="webhooks"),
    path(ONE, views.webhook, name="webhook"),
    path(f"{ONE}test/", views.webhook_test, name="webhook-test"),
    path(f"{ONE}active/", views.webhook_active, name="webhook-active"),
    path(f"{ONE}rotate/", views.webhook_rotate, name="webhook-rotate"),
    path(f"{ONE}remove/", views.webhook_remove, name="webhook-remove"),
    path(f"{ONE}deliveries/<int:pk>/again/", views.delivery_again, name="delivery-again"),
]
