"""Tokens of requests: one effect each, for 24 hours."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.models import Project
from annotation.mturk_api.flow import request_tokens
from annotation.mturk_api.models import RequestToken


def test_a_token_is_spent_once_and_says_what_it_made(project: Project) -> None:
    request_tokens.spend(project, "HIT", "t-1", result="3ABC")
    with pytest.raises(request_tokens.Spent) as spent:
        request_tokens.spend(project, "HIT", "t-1", result="3XYZ")
    assert spent.value.result == "3ABC"


def test_another_family_or_project_has_its_own_tokens(project: Project) -> None:
    other = Project.objects.create(slug="other", title="Other")
    for whose, family in [(project, "HIT"), (project, "bonus"), (other, "HIT")]:
        request_tokens.spend(whose, family, "t-1")
    assert RequestToken.objects.count() == 3


def test_a_token_is_good_again_after_a_day(project: Project) -> None:
    request_tokens.spend(project, "HIT", "t-1", result="3ABC")
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    request_tokens.spend(project, "HIT", "t-1", result="3XYZ")
    assert RequestToken.objects.get().result == "3XYZ"
    assert request_tokens.forget_old() == 0
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert request_tokens.forget_old() == 1


@transaction.atomic
def failing(project: Project) -> None:
    request_tokens.spend(project, "HIT", "t-1")
    raise ZeroDivisionError


def test_a_token_comes_back_when_the_effect_fails(project: Project) -> None:
    with pytest.raises(ZeroDivisionError):
        failing(project)
    request_tokens.spend(project, "HIT", "t-1")
