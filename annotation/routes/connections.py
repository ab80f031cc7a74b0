"""Addresses: marketplaces that a project publishes on."""

from django.urls import URLPattern, path

from annotation.views import connections

PLACES = "projects/<slug:slug>/marketplaces/"
THERE = "projects/<slug:slug>/batches/<slug:batch>/marketplace/"

pages: list[URLPattern] = [
    path(PLACES, connections.marketplaces, name="marketplaces"),
    path(f"{PLACES}<int:pk>/keys/", connections.marketplace_keys, name="marketplace-keys"),
    path(f"{PLACES}<int:pk>/test/", connections.marketplace_test, name="marketplace-test"),
    path(f"{PLACES}<int:pk>/remove/", connections.marketplace_remove, name="marketplace-remove"),
    path(THERE, connections.batch_marketplace, name="batch-marketplace"),
    path(f"{THERE}<slug:act>/", connections.batch_marketplace_act, name="batch-marketplace-act"),
]
