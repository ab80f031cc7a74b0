"""The site's URLs, one module a subject; apps behind the engine add their own."""

from django.urls import path

from annotation import discovery
from annotation.api import urls as api
from annotation.urls import batches, data, money, notifications, people, projects, reports, review, work
from annotation.views import glossary, health

handler400 = "annotation.views.error_pages.bad_request"
handler403 = "annotation.views.error_pages.forbidden"
handler500 = "annotation.views.error_pages.server_error"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("glossary/", glossary.glossary, name="glossary"),
    *work.pages,  # first: each request is compared with one after another, and most are for these
    *people.pages,
    *projects.pages,
    *data.pages,
    *batches.pages,
    *review.pages,
    *money.pages,
    *notifications.pages,
    *reports.pages,
    *discovery.listed("PAGES"),
    *api.pages,
]
