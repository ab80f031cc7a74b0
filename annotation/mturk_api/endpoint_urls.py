"""The URLs of `manage.py mturk_endpoint`: the MTurk API at `/`, and the site's pages."""

from django.urls import path

from annotation import urls
from annotation.mturk_api.endpoint import endpoint

handler500 = urls.handler500
urlpatterns = [path("", endpoint, name="mturk-endpoint"), *urls.urlpatterns]
