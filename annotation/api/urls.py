"""The API's table of contents; everything is below /api/v1/."""

from django.urls import URLPattern, path, re_path

from annotation.api import (
    batch_urls,
    dataset_urls,
    money_urls,
    nothing,
    people_urls,
    projects,
    review_urls,
    schema_page,
    tokens,
    webhook_urls,
)

PROJECT = "api/v1/projects/<slug:slug>/"

pages: list[URLPattern] = [
    path("api/v1/schema/", schema_page.SchemaPage.as_view(), name="api-schema"),
    path("api/v1/projects/", projects.Projects.as_view(), name="api-projects"),
    path(PROJECT, projects.OneProject.as_view(), name="api-project"),
    path("api/v1/tokens/", tokens.Tokens.as_view(), name="api-tokens"),
    path("api/v1/tokens/<int:pk>/", tokens.OneToken.as_view(), name="api-token"),
    *dataset_urls.pages,
    *batch_urls.pages,
    *people_urls.pages,
    *review_urls.pages,
    *money_urls.pages,
    *webhook_urls.pages,
    re_path("^api/", nothing.Nothing.as_view(), name="api-nothing"),  # the last
]
