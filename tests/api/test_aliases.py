"""What was renamed in the API is taken under its old name too: fields and values of requests, and addresses."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory
from django.urls import URLResolver
from django.urls.resolvers import RoutePattern
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.operations import action, operation
from annotation.api.routers import ProjectRouter
from annotation.api.serializers import Filter, Input, validate_input
from annotation.api.viewsets import ResourceViewSet


class GoldInput(Input):
    ALIASES = {"share": "percent"}

    percent = serializers.IntegerField()


class LaunchInput(Input):
    ALIASES = {"guide": "instructions"}
    VALUE_ALIASES = {"act": {"return": "request_changes"}, "kinds": {"judgment": "response"}}

    instructions = serializers.CharField(required=False)
    act = serializers.ChoiceField(choices=["approve", "request_changes"], required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=["response", "job"]), required=False)
    gold = GoldInput(required=False)


class StateFilter(Filter):
    ALIASES = {"guide_version": "version"}

    version = serializers.IntegerField(source="guide__version", required=False)


def test_a_body_may_name_fields_and_values_as_they_were_called_before() -> None:
    sent = {"guide": "# Read", "act": "return", "kinds": ["judgment", "job"], "gold": {"share": 5}}
    current = {"instructions": "# Read", "act": "request_changes", "kinds": ["response", "job"], "gold": {"percent": 5}}
    assert validate_input(LaunchInput, sent) == validate_input(LaunchInput, current) == current


def test_a_query_may_name_filters_as_they_were_called_before() -> None:
    for query in ("guide_version=3", "version=3"):
        assert validate_input(StateFilter, RequestFactory().get(f"/?{query}").GET) == {"guide__version": 3}


def test_a_field_under_both_of_its_names_and_an_unknown_one_are_refused() -> None:
    for sent, field in (({"guide": "a", "instructions": "b"}, "guide"), ({"guides": "a"}, "guides")):
        with pytest.raises(ValidationError) as flaw:
            validate_input(LaunchInput, sent)
        assert set(flaw.value.detail) == {field}


class GuideViewSet(ResourceViewSet):
    @operation()
    def list(self) -> Any:
        """Versions."""

    @action()
    def restore(self) -> None:
        """Restore."""


def test_an_address_is_served_under_its_former_name_but_named_once() -> None:
    router = ProjectRouter(aliases={"guide/": "instructions/"})
    router.register("instructions", GuideViewSet, "instructions")
    site = URLResolver(RoutePattern(""), router.urls)
    for name in ("guide", "instructions"):
        assert site.resolve(f"api/v1/projects/wells/{name}/").kwargs == {"slug": "wells"}
        found = site.resolve(f"api/v1/projects/wells/{name}/k1/restore/")
        assert found.kwargs == {"slug": "wells", "public_id": "k1"}
        assert hasattr(found.func, "cls") == (name == "instructions"), "the schema shows what has a class"
    assert [page.name for page in router.urls if page.name] == ["api-instructions-list", "api-instructions-restore"]
