"""The table of contents of `manage.py mturk_endpoint`: the protocol at `/`, and the site's pages beside it."""

from django.urls import path

from annotation import urls
from annotation.mturk_api.door import door

handler500 = urls.handler500
urlpatterns = [path("", door, name="mturk-endpoint"), *urls.urlpatterns]
