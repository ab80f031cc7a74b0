"""Qualification types: list, create, change, delete and restore them."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input, ModelResource
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.lists import ListFilter
from annotation.flow.people import qualification_types
from annotation.forms.qualifications import QualificationTypeForm
from annotation.models import Project, Qualification, QualificationRequest, QualificationType
from annotation.pure.people import roles
from annotation.pure.people.requirements import LARGEST, SMALLEST
from annotation.pure.setting_fields import setting


class QualificationTermsInput(Input):
    """Description and terms of a qualification. Fields that are left out stay unchanged."""

    EXAMPLE = {"requestable": True, "retry_seconds": 86400}

    description = serializers.CharField(max_length=2000, required=False)
    keywords = serializers.CharField(max_length=1000, required=False, allow_blank=True)
    requestable = serializers.BooleanField(required=False)
    retry_seconds = serializers.IntegerField(required=False, allow_null=True, min_value=0)
    auto_granted = serializers.BooleanField(required=False, help_text="Grant requests automatically.")
    auto_value = serializers.IntegerField(required=False, min_value=SMALLEST, max_value=LARGEST)
    test = serializers.CharField(required=False, allow_blank=True, max_length=65_535, help_text="QuestionForm XML.")
    answer_key = serializers.CharField(required=False, allow_blank=True, max_length=65_535, help_text="AnswerKey XML.")
    test_minutes = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=1440)


class QualificationInput(QualificationTermsInput):
    """A new qualification."""

    EXAMPLE = {"name": "Reader", "description": "Reads with care.", "requestable": False}

    name = serializers.CharField(max_length=200)
    description = serializers.CharField(max_length=2000)


@dataclass(frozen=True)
class QualificationFilter(ListFilter):
    """Filters of qualifications."""

    order = ("pk",)
    ALIASES = {"retired": "deleted"}

    deleted: bool = setting(False, help="Deleted qualifications instead.", column="deleted_at__isnull")


class QualificationSerializer(ModelResource):
    """A qualification."""

    id = serializers.CharField(source="public_id")
    requestable = serializers.SerializerMethodField()
    test_minutes = serializers.SerializerMethodField()
    held = serializers.IntegerField(help_text="Number of workers who hold it.")
    waiting = serializers.IntegerField(help_text="Number of open requests.")

    class Meta:
        model = QualificationType
        fields = [
            "id", "name", "description", "keywords", "requestable", "retry_seconds", "auto_granted", "auto_value",
            "test", "answer_key", "test_minutes", "held", "waiting", "created_at", "deleted_at",
        ]  # fmt: skip

    def get_requestable(self, type: QualificationType) -> bool:
        return type.status == QualificationType.Status.ACTIVE

    def get_test_minutes(self, type: QualificationType) -> int | None:
        return -(-type.test_seconds // 60) if type.test_seconds else None


def counted(project: Project) -> QuerySet[QualificationType]:
    """The project's types with the numbers of holders and requests."""
    granted = Q(qualifications__state=Qualification.State.GRANTED)
    asking = Q(requests__state=QualificationRequest.State.PENDING)
    return project.qualification_types.annotate(
        held=Count("qualifications", filter=granted, distinct=True),
        waiting=Count("requests", filter=asking, distinct=True),
    )


def read_form(data: JSON, *, type: QualificationType | None = None) -> QualificationTypeForm:
    """The page's form, filled in from the request and from the stored type, validated. Raises ValidationError."""
    stored = QualificationTypeForm(type=type).initial if type else {"requestable": True}
    whole = {**stored, **data}
    posted = {name: value for name, value in whole.items() if value is not None and value is not False}
    form = QualificationTypeForm(posted, type=type)
    if not form.is_valid():
        raise ValidationError({name.replace("__all__", ""): [*map(str, texts)] for name, texts in form.errors.items()})
    return form


class QualificationViewSet(ResourceViewSet):
    """The qualifications of a project."""

    serializer_class = QualificationSerializer
    act = reads = roles.PEOPLE
    row: QualificationType

    def get_queryset(self) -> QuerySet[QualificationType]:
        """Types that are not deleted, or, to restore one, all."""
        rows = counted(self.project)
        return rows if {"list", "restore"} & set(self.action_map.values()) else rows.filter(deleted_at=None)

    @operation(query=QualificationFilter)
    def list(self, wanted: QualificationFilter) -> Any:
        """List the project's qualifications."""
        return wanted.narrow(self.project, self.get_queryset())

    @operation(takes=QualificationInput)
    def create(self, data: JSON) -> QualificationType:
        """Create a qualification."""
        form = read_form(data)
        try:
            made = qualification_types.create_type(self.project, form.cleaned_data["name"], **form.terms())
        except qualification_types.NameTaken as taken:
            raise ValidationError({"name": [str(taken)]}) from None
        return self.get_queryset().get(pk=made.pk)

    @operation()
    def retrieve(self) -> None:
        """One qualification."""

    @operation(takes=QualificationTermsInput)
    def partial_update(self, data: JSON) -> None:
        """Change the description and terms of a qualification; its name stays."""
        qualification_types.update_type(self.row, **read_form(data, type=self.row).terms())

    @operation(id="deleteQualification")
    def destroy(self) -> None:
        """Delete a qualification: nobody holds it any more. It can be restored."""
        qualification_types.delete_type(self.row)

    @action()
    def restore(self) -> None:
        """Restore a deleted qualification, with all scores."""
        qualification_types.restore_type(self.row)


class QualificationPartViewSet(ResourceViewSet):
    """Scores and requests of a qualification; `type` is set before a method runs."""

    act = reads = roles.PEOPLE
    lookup_field = "pk"
    type: QualificationType

    def find(self) -> None:
        rows = self.project.qualification_types.filter(deleted_at=None)
        self.type = get_object_or_404(rows, public_id=self.kwargs["public_id"])
        super().find()
