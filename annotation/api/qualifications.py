"""Types of qualifications: what there are, a new one, changing, retiring and restoring one."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import JSON, ProjectList, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import qualifying
from annotation.models import Project, Qualification, QualificationRequest, QualificationType
from annotation.pure import roles
from annotation.pure.requirements import LARGEST, SMALLEST
from annotation.qualification_forms import TypeForm


class TermsOfTypeWish(Wish):
    """What workers read of a qualification and how they come by it. What is not named stays as it is."""

    description = serializers.CharField(max_length=2000, required=False)
    keywords = serializers.CharField(max_length=1000, required=False, allow_blank=True)
    requestable = serializers.BooleanField(required=False, help_text="Whether workers may ask for it.")
    retry_seconds = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, help_text="After which one may ask again; null: never."
    )
    auto_granted = serializers.BooleanField(required=False, help_text="Whoever asks gets it at once.")
    auto_value = serializers.IntegerField(required=False, min_value=SMALLEST, max_value=LARGEST)
    test = serializers.CharField(required=False, allow_blank=True, max_length=65_535, help_text="QuestionForm XML.")
    answer_key = serializers.CharField(required=False, allow_blank=True, max_length=65_535, help_text="AnswerKey XML.")
    test_minutes = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=1440)


class TypeWish(TermsOfTypeWish):
    """A new qualification."""

    name = serializers.CharField(max_length=200)
    description = serializers.CharField(max_length=2000)


class TypeFilter(serializers.Serializer):
    """Which qualifications."""

    retired = serializers.BooleanField(default=False, help_text="Those that were retired instead.")


class TypeSerializer(serializers.Serializer):
    """A qualification that workers may hold with a score."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    description = serializers.CharField()
    keywords = serializers.CharField()
    requestable = serializers.SerializerMethodField()
    retry_seconds = serializers.IntegerField(allow_null=True)
    auto_granted = serializers.BooleanField()
    auto_value = serializers.IntegerField()
    test = serializers.CharField()
    answer_key = serializers.CharField()
    test_minutes = serializers.SerializerMethodField()
    held = serializers.IntegerField(help_text="How many workers hold it.")
    waiting = serializers.IntegerField(help_text="How many ask for it.")
    created_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(source="deleted_at", allow_null=True)

    def get_requestable(self, type: QualificationType) -> bool:
        return type.status == QualificationType.Status.ACTIVE

    def get_test_minutes(self, type: QualificationType) -> int | None:
        return -(-type.test_seconds // 60) if type.test_seconds else None


def counted(project: Project) -> Any:
    """The project's types with how many hold and ask for each."""
    granted = Q(qualifications__state=Qualification.State.GRANTED)
    asking = Q(requests__state=QualificationRequest.State.PENDING)
    return project.qualification_types.annotate(
        held=Count("qualifications", filter=granted, distinct=True),
        waiting=Count("requests", filter=asking, distinct=True),
    )


def read_form(wish: JSON, *, type: QualificationType | None = None) -> TypeForm:
    """The page's form with the wish over what is stored; valid. Raises ValidationError."""
    stored = TypeForm(type=type).initial if type else {"requestable": True}
    whole = {**stored, **wish}
    posted = {name: value for name, value in whole.items() if value is not None and value is not False}
    form = TypeForm(posted, type=type)
    if not form.is_valid():
        raise ValidationError({name.replace("__all__", ""): list(told) for name, told in form.errors.items()})
    return form


class Types(ProjectList):
    """The qualifications of a project."""

    serializer_class = TypeSerializer
    act = reads = roles.PEOPLE

    def rows(self) -> Any:
        return counted(self.project).filter(deleted_at__isnull=not self.query(TypeFilter)["retired"])

    @extend_schema(parameters=[TypeFilter], responses=TypeSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The qualifications that a project grants."""
        return self.listed()

    @extend_schema(request=TypeWish, responses={201: TypeSerializer})
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Make a qualification."""
        form = read_form(asked(TypeWish, request.data))
        try:
            made = qualifying.create_type(self.project, form.cleaned_data["name"], **form.terms())
        except qualifying.NameTaken as taken:
            raise ValidationError({"name": [str(taken)]}) from None
        return Response(TypeSerializer(counted(self.project).get(pk=made.pk)).data, status=201)


class TypeView(ProjectView):
    """One qualification that was not retired: `type` stands before a method runs."""

    serializer_class = TypeSerializer
    act = reads = roles.PEOPLE
    retired_too = False
    type: QualificationType

    def find(self, **kwargs: Any) -> None:
        rows = counted(self.project) if self.retired_too else counted(self.project).filter(deleted_at__isnull=True)
        self.type = get_object_or_404(rows, public_id=kwargs["public_id"])
        self.type.project = self.project

    def shown(self) -> Response:
        return Response(TypeSerializer(counted(self.project).get(pk=self.type.pk)).data)


class OneType(TypeView):
    """One qualification."""

    @extend_schema(responses=TypeSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One qualification."""
        return self.shown()

    @extend_schema(request=TermsOfTypeWish, responses=TypeSerializer)
    @repeatable
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Change what workers read of a qualification and how they come by it; its name stays."""
        form = read_form(asked(TermsOfTypeWish, request.data, partial=True), type=self.type)
        qualifying.update_type(self.type, **form.terms())
        return self.shown()

    @extend_schema(operation_id="retireQualification", responses={204: None})
    @repeatable
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Retire a qualification: nobody holds it any more. It can be restored."""
        qualifying.delete_type(self.type)
        return Response(status=204)


class Restore(TypeView):
    """Taking a retirement back."""

    retired_too = True

    @extend_schema(request=None, responses=TypeSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Take a retirement back: everybody holds again what they held."""
        qualifying.restore_type(self.type)
        return self.shown()
