"""Datasets: their list, the upload, one with its facts, its removal; its items."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs, uploads
from annotation.api.dataset_base import (
    DatasetList,
    DatasetSerializer,
    DatasetView,
    ItemFilters,
    ItemSerializer,
    OneDatasetSerializer,
    dataset_named,
    narrowed,
    no_page,
)
from annotation.api.lists import Newest, ProjectList, Wish, asked, once
from annotation.api.paging import Pages
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.reading import FileParser, FormParser
from annotation.api.writing import repeatable
from annotation.console_forms import NAMES_OF_PAGES, proposed_name
from annotation.flow import editing, removing
from annotation.formats import FORMATS
from annotation.formats.guess import guess


class DatasetFilters(serializers.Serializer):
    """Which datasets."""

    q = serializers.CharField(max_length=100, required=False, help_text="text in the name")
    format = serializers.ChoiceField(choices=sorted(FORMATS), required=False)
    how = serializers.CharField(max_length=60, required=False, help_text="the way in which it was derived")


class ImportWish(Wish):
    """What to import, and as what. Without a name or a format they are read off the file."""

    texts = True
    file_name = serializers.CharField(max_length=255, required=False, help_text="what the file is called")
    name = serializers.SlugField(max_length=100, required=False, validators=[no_page])
    format = serializers.ChoiceField(choices=sorted(FORMATS), required=False)
    licence = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    source = serializers.URLField(max_length=500, required=False, allow_blank=True, default="")
    skip_bad = serializers.BooleanField(default=False, help_text="leave out records that cannot be stored")
    dry_run = serializers.BooleanField(default=False, help_text="only check the file")


class AboutWish(Wish):
    """What is said of a dataset. What is not named stays as it is."""

    licence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    source = serializers.CharField(max_length=500, required=False, allow_blank=True, help_text="where it comes from")
    retired = serializers.BooleanField(required=False, help_text="whether it is offered for new batches no more")


class UploadSerializer(ImportWish):
    """The same as a form, with the file beside it."""

    file = serializers.FileField(allow_empty_file=True)


BODIES = {"multipart/form-data": UploadSerializer, "application/octet-stream": {"type": "string", "format": "binary"}}


class Datasets(ProjectList):
    """The datasets of a project."""

    serializer_class = DatasetSerializer
    pagination_class = Newest
    parser_classes = [FormParser, FileParser]

    def rows(self) -> Any:
        wish = self.query(DatasetFilters)
        rows = self.project.datasets.whole()
        rows = rows.filter(slug__icontains=wish["q"]) if "q" in wish else rows
        rows = rows.filter(format=wish["format"]) if "format" in wish else rows
        if "how" in wish:
            few = [row.pk for row in rows.only("pk", "lineage") if row.lineage.get("how") == wish["how"]]
            rows = rows.filter(pk__in=few)
        return rows

    @extend_schema(parameters=[DatasetFilters], responses=DatasetSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The datasets of a project, newest first."""
        return self.listed()

    @extend_schema(
        operation_id="importDataset",
        parameters=[ImportWish],
        request=BODIES,
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Upload a file, which a job imports.

        The file is the body itself, with the rest in the address, or a part `file` of a form. The job's result is
        the report of the import; a file that was refused, or only checked, can be imported from its job for a day.
        Records of 2WikiMultihopQA carry the other names of their answers as `answer_aliases`, a list.
        """
        together = request.query_params.copy()
        if isinstance(request.data, QueryDict):
            together.update(request.data)
        once(together)
        given = dict(request.query_params.items()) | {key: request.data[key] for key in request.data}
        file = given.pop("file", None)
        if not getattr(file, "size", 0):
            raise ValidationError({"file": [_("The file is empty. Send one with at least one record.")]})
        return queued(self._posted(file, asked(ImportWish, given)))

    def _posted(self, file: Any, wish: dict[str, Any]) -> Any:
        told = wish.pop("file_name", "") or ("" if file.name == "body" else file.name or "")
        wish["name"] = wish.get("name") or proposed_name(told)
        if not wish["name"] or wish["name"] in NAMES_OF_PAGES:
            raise ValidationError({"name": [_("The file's name gives no name. Give one.")]})
        path = uploads.keep(file)
        wish["format"] = wish.get("format") or guess(path, file_name=told)
        if wish["format"] not in FORMATS:
            path.unlink()
            raise ValidationError({"format": [_("The file's first record does not show its format. Name it.")]})
        title = _("Check %(file)s") if wish["dry_run"] else _("Import %(file)s as %(name)s")
        title %= {"file": (told or wish["name"])[:100], "name": wish["name"]}
        arguments = wish | {"path": str(path), "file_name": told[:255]}
        user = self.request.user
        return jobs.enqueue("import_dataset", project=self.project, title=title, arguments=arguments, user=user)


class OneDataset(DatasetView):
    """One dataset."""

    serializer_class = OneDatasetSerializer

    @extend_schema(responses=OneDatasetSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """One dataset with its facts, its report and its lineage."""
        return Response(OneDatasetSerializer(self.dataset).data)

    @extend_schema(request=AboutWish, responses=OneDatasetSerializer)
    @repeatable
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Correct a dataset's licence and source, or retire it: offer it for new batches no more, or again."""
        wish = asked(AboutWish, request.data, partial=True)
        with transaction.atomic():
            if "retired" in wish:
                editing.retire_dataset(self.dataset, out=wish.pop("retired"))
            editing.describe(self.dataset, **wish)
        return Response(OneDatasetSerializer(dataset_named(self.project, name)).data)

    @extend_schema(responses={202: OpenApiResponse(QueuedSerializer, description="hidden; the job removes it")})
    @repeatable
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Hide a dataset now and remove it in 30 days.

        Until then its job can be undone. What a batch or another dataset is made of stays.
        """
        return queued(removing.begin(self.dataset, user=request.user))


class ItemPages(Pages):
    """In their order, fewer at once: an item may hold twenty paragraphs."""

    ordering = "position"
    max_page_size = 200
    page_size = 50


class Items(DatasetList):
    """The items of a dataset."""

    serializer_class = ItemSerializer
    pagination_class = ItemPages

    def rows(self) -> Any:
        return narrowed(self.dataset.items.all(), self.query(ItemFilters))

    @extend_schema(parameters=[ItemFilters], responses=ItemSerializer(many=True))
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The items of a dataset in order, with their gold."""
        return self.listed()
