"""Assignments: who worked on which HIT, what they answered, how it stands with the requesters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import ProjectList
from annotation.flow import naming, reviewing, watching
from annotation.models import Assignment, Project
from annotation.pure import lifecycle


class AssignmentFilter(serializers.Serializer):
    """Which assignments."""

    batch = serializers.CharField(max_length=100, required=False)
    state = serializers.ChoiceField(choices=Assignment.State.choices, required=False)
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")
    since = serializers.DateTimeField(required=False, help_text="Submitted then or later.")


class AssignmentSerializer(serializers.Serializer):
    """One worker on one HIT, with the answer as it stands."""

    id = serializers.CharField(source="public_id")
    batch = serializers.CharField(source="batch.slug")
    hit = serializers.CharField(source="hit.public_id")
    worker = serializers.CharField(source="worker_name", help_text="The worker's pseudonym.")
    state = serializers.ChoiceField(choices=Assignment.State.choices)
    counts = serializers.BooleanField(help_text="Whether it takes or took one of the HIT's places.")
    late = serializers.BooleanField()
    approval = serializers.ChoiceField(choices=["", *Assignment.Approved.values], help_text="Empty: not decided.")
    review = serializers.CharField(help_text="How the answer stands with its readers; empty: nothing is submitted.")
    guide_version = serializers.IntegerField()
    accepted_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True, help_text="When it was returned or expired.")
    active_seconds = serializers.FloatField()
    revision = serializers.IntegerField(help_text="Of the answer; 0: none.")
    grade = serializers.FloatField(allow_null=True, help_text="0..1 against gold, of hidden gold and in rounds.")
    answer = serializers.DictField(allow_null=True)


def with_answers(project: Project, rows: Iterable[Any]) -> list[Any]:
    """Assignments with their answers, how these stand, and pseudonyms; in a handful of queries."""
    rows = list(rows)
    done = [row for row in rows if row.state == lifecycle.SUBMITTED]
    standings = {one.assignment.pk: one for one in reviewing.standings(done)}
    for row in rows:
        standing = standings.get(row.pk)
        row.worker_name = project.pseudonym(row.worker_id)
        row.answer = standing.answer.answer if standing else None
        row.review = standing.state if standing else ""
    return rows


def shown_rows(rows: Any) -> Any:
    """A queryset with what an assignment is told with."""
    return rows.select_related("batch", "hit").defer("draft", "hit__payload")


class Assignments(ProjectList):
    """The assignments of a project."""

    serializer_class = AssignmentSerializer

    def rows(self) -> Any:
        wish = self.query(AssignmentFilter)
        names = {"batch": "batch__slug", "state": "state", "since": "submitted_at__gte"}
        rows = watching.work_of(self.project).filter(**{names[name]: wish[name] for name in names if name in wish})
        if "worker" in wish:
            rows = rows.filter(worker=naming.worker_named(self.project, wish["worker"]))
        return shown_rows(rows)

    def told(self, rows: list[Any]) -> list[Any]:
        return with_answers(self.project, rows)

    @extend_schema(parameters=[AssignmentFilter], responses=AssignmentSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The assignments of a project, under pseudonyms, with their answers."""
        return self.listed()


class OneAssignment(ProjectView):
    """One assignment."""

    serializer_class = AssignmentSerializer

    @extend_schema(responses=AssignmentSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One assignment with its answer."""
        row = shown_rows(watching.work_of(self.project)).filter(public_id=public_id).first()
        if row is None:
            raise Http404
        return Response(AssignmentSerializer(with_answers(self.project, [row])[0]).data)
