"""Addresses: the MTurk protocol under the main site, access keys, and tokens for the API."""

from django.urls import URLPattern, path

from annotation.mturk_api.door import door
from annotation.views import keys, tokens

pages: list[URLPattern] = [
    path("mturk/", door, name="mturk-api"),
    path("mturk", door, name="mturk-api-bare"),  # as an endpoint without its last slash is called
    path("mturk/queues/<str:name>", door, name="mturk-queue"),
    path("projects/<slug:slug>/keys/", keys.access_keys, name="access-keys"),
    path("projects/<slug:slug>/keys/<int:pk>/revoke/", keys.access_key_revoke, name="access-key-revoke"),
    path("projects/<slug:slug>/tokens/", tokens.tokens, name="tokens"),
    path("projects/<slug:slug>/tokens/<int:pk>/revoke/", tokens.token_revoke, name="token-revoke"),
]
