"""Datasets: list, import, change, export, delete."""

import json
from pathlib import Path
from typing import Any

from django.db import transaction
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation import jobs
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import BINARY, FORMAT, JSON, TEXT, Filter, Input, KindField, posted_file_and_fields
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.data import dataset_files, dataset_removal, item_editing
from annotation.flow.data.dataset_import import Unmapped, recognised
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.data.lineage import DatasetFilter, sources_of
from annotation.flow.reports import dataset_documents
from annotation.flow.setting_values import validate_unreserved
from annotation.formats import FORMATS
from annotation.forms.projects import proposed_name
from annotation.models import Dataset, Job
from annotation.operations import uploads
from annotation.operations.downloads import BYTES, logged_download
from annotation.pure.data.column_mapping import ROLES, BadMapping, ColumnMapping


class DatasetPartViewSet(ResourceViewSet):
    """A resource of a dataset; `dataset` is set before a method runs."""

    dataset: Dataset

    def find(self) -> None:
        rows = Dataset.objects.whole().select_related("root", "created_by")
        self.dataset = get_object_or_404(rows, project=self.project, slug=self.kwargs["name"])
        super().find()


class DatasetSerializer(serializers.Serializer):
    """A dataset."""

    name = serializers.SlugField(source="slug")
    size = serializers.IntegerField(help_text="Number of items.")
    format = serializers.CharField(help_text="The format of the imported file.")
    sha256 = serializers.CharField(help_text="SHA-256 of the imported file.")
    digest = serializers.CharField(help_text="SHA-256 of its current content, which edits of items change.")
    file_name = serializers.CharField()
    licence = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field of that name, as in Field itself
    ethics = serializers.CharField(help_text="Who approved the work with people; empty: not stated.")
    consent = serializers.CharField(help_text="How people consented; empty: not stated.")
    made_of = serializers.SerializerMethodField(help_text="Datasets that it was derived or created from.")
    how = serializers.SerializerMethodField(help_text="The derivation; empty for an imported file.")
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True, help_text="When it was archived; null: it is not.")

    def get_made_of(self, dataset: Dataset) -> list[str]:
        return sources_of(dataset)

    def get_how(self, dataset: Dataset) -> str:
        return str(dataset.lineage.get("how", ""))


class OneDatasetSerializer(DatasetSerializer):
    """A dataset with its figures."""

    features = serializers.DictField(help_text="Counts of hops, shapes, answers and paragraphs.")
    report = serializers.DictField(help_text="What the import or the derivation read, kept and left out.")
    lineage = serializers.DictField(help_text="Source, how, options, seed and version; empty for an imported file.")
    root = serializers.CharField(  # type: ignore[assignment]  # a field of that name
        source="root.slug", allow_null=True, help_text="The imported dataset that it goes back to."
    )
    batches = serializers.SerializerMethodField(help_text="Batches made of it.")
    descendants = serializers.SerializerMethodField(help_text="Datasets derived from it.")

    def get_batches(self, dataset: Dataset) -> list[str]:
        return list(dataset.batches.order_by("created_at").values_list("slug", flat=True))

    def get_descendants(self, dataset: Dataset) -> list[str]:
        return list(dataset.descendants.order_by("created_at").values_list("slug", flat=True))


class ItemSerializer(serializers.Serializer):
    """An item with its gold. `example` is its content in the format `jsonl`.

    While the account is still to adjudicate a HIT of it, its gold is hidden, unless it opened that, which is logged.
    """

    position = serializers.IntegerField()
    id = serializers.CharField(source="source_id")
    question = serializers.CharField(allow_blank=True)
    hops = serializers.IntegerField()
    shape = serializers.CharField(allow_blank=True)
    answerable = serializers.BooleanField(allow_null=True)
    version = serializers.IntegerField(help_text="1 as imported, and one more for each edit.")
    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was archived: since then in no new batch and no export."
    )
    example = serializers.DictField(source="content")
    gold_hidden = serializers.BooleanField(default=False, help_text="Whether its gold is left out until the decision.")


TYPES = {"provenance": "application/x-ndjson", "datasheet": "text/markdown", "card": "text/markdown"}


class MappingField(serializers.CharField):
    """A mapping of columns as JSON text; {role: columns} after validation."""

    def to_internal_value(self, data: Any) -> dict[str, list[str]]:  # type: ignore[override]  # read from the text
        try:
            return ColumnMapping.of_json(json.loads(super().to_internal_value(data))).as_json()
        except (BadMapping, ValueError, RecursionError) as bad:
            wrong = (
                str(bad) if isinstance(bad, BadMapping) else _("This is not JSON. Give an object of roles and columns.")
            )
            raise ValidationError([wrong]) from None


class ImportInput(Input):
    """A file to import. Name and format are guessed from the file by default."""

    texts = True
    file_name = serializers.CharField(max_length=255, required=False, help_text="The file's name.")
    name = serializers.SlugField(max_length=100, required=False, validators=[validate_unreserved])
    format = KindField(choices=sorted(FORMATS), required=False, help_text=FORMAT)
    map = MappingField(
        required=False,
        help_text="Columns of a file in no known format, as JSON: "
        '`{"question": "q", "answer": "ans", "paragraph": ["passage_*"]}`; `{}` keeps all as additional data. Roles: '
        + ", ".join(ROLES)
        + ".",
    )
    licence = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    # DRF takes a declared field out of the class: it is not the attribute `source` of fields
    source = serializers.URLField(max_length=500, required=False, allow_blank=True, default="")  # type: ignore[assignment]  # see above
    skip_bad = serializers.BooleanField(default=False, help_text="Skip records that cannot be stored.")
    dry_run = serializers.BooleanField(default=False, help_text="Check the file without importing it.")


class DatasetInput(Input):
    """Details of a dataset. Fields that are left out stay unchanged."""

    ALIASES = {"retired": "archived"}
    EXAMPLE = {"licence": "CC BY 4.0", "source": "https://lab.example/wells"}

    licence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    source = serializers.CharField(max_length=500, required=False, allow_blank=True)  # type: ignore[assignment]  # as above
    ethics = serializers.CharField(
        max_length=500, required=False, allow_blank=True,
        help_text="Who approved the work with people, or why it needs no approval.",
    )  # fmt: skip
    consent = serializers.CharField(max_length=500, required=False, allow_blank=True, help_text="How people consented.")
    archived = serializers.BooleanField(required=False, help_text="Whether it is archived: hidden from new batches.")


class UploadSerializer(ImportInput):
    """An import as a form, with the file."""

    file = serializers.FileField(allow_empty_file=True)


class ExportFilter(Filter):
    """How to export."""

    ALIASES = {"retired": "archived"}

    folder = serializers.BooleanField(
        default=False, help_text="All files of the format's release as one ZIP file, if it has several."
    )
    archived = serializers.BooleanField(default=False, help_text="Include archived items; not for a folder.")


class DocumentFilter(Filter):
    """What the document accompanies."""

    format = KindField(
        choices=sorted(FORMATS), required=False, help_text="Format of the exported file that the card describes."
    )


def _recognised(path: Path, file_name: str) -> str:
    """The format of an uploaded file, which is removed if it has none. Raises ValidationError."""
    try:
        return recognised(path, file_name or _("the file"), file_name=file_name)
    except Unmapped as unmapped:
        path.unlink()
        example = f" map={json.dumps(unmapped.mapping.as_json())}" if unmapped.mapping else ""
        raise ValidationError({"format": [f"{unmapped}{example}"]}) from None
    except ImportRefused as refused:
        path.unlink()
        raise ValidationError({"file": [str(refused)]}) from None


BODIES = {"multipart/form-data": UploadSerializer, "application/octet-stream": {"type": "string", "format": "binary"}}


class DatasetViewSet(ResourceViewSet):
    """The datasets of a project."""

    serializer_class = OneDatasetSerializer
    list_serializer_class = DatasetSerializer
    lookup_field, lookup_url_kwarg = "slug", "name"
    row: Dataset

    def get_queryset(self) -> Any:
        return Dataset.objects.whole().filter(project=self.project).select_related("root", "created_by")

    @operation(query=DatasetFilter)
    def list(self, wanted: DatasetFilter) -> Any:
        """List the datasets of a project, newest first."""
        return wanted.narrow(self.project, self.get_queryset())

    @operation(takes=BODIES, parameters=(ImportInput,), gives=QueuedSerializer, id="importDataset")
    def create(self) -> Job:
        """Upload a file, which a job imports.

        The file is the body itself, with the other fields in the query, or the part `file` of a form. The job's result
        is the report of the import. A file that was refused, or only checked, can be imported from its job for a day.
        Records of 2WikiMultihopQA carry the aliases of their answers as `answer_aliases`, a list.
        """
        empty = _("The file is empty. Send one with at least one record.")
        return self._posted(*posted_file_and_fields(self.request, ImportInput, empty))

    def _posted(self, file: Any, data: dict[str, Any]) -> Job:
        file_name = data.pop("file_name", "") or ("" if file.name == "body" else file.name or "")
        data["name"] = data.get("name") or proposed_name(file_name)
        if not data["name"]:
            raise ValidationError({"name": [_("No name can be made from the file name. Give a name.")]})
        if (mapping := data.pop("map", None)) is not None and data.get("format"):
            raise ValidationError({"map": [_("A map is for a file in no known format. Leave out one of the two.")]})
        path = uploads.keep(file)
        if mapping is None:
            data["format"] = data.get("format") or _recognised(path, file_name)
        else:
            data |= {"mapping": mapping, "format": "jsonl"}
        title = _("Check %(file)s") if data["dry_run"] else _("Import %(file)s as %(name)s")
        title %= {"file": (file_name or data["name"])[:100], "name": data["name"]}
        arguments = data | {"path": str(path), "file_name": file_name[:255]}
        user = self.request.user
        return jobs.enqueue("import_dataset", project=self.project, title=title, arguments=arguments, user=user)

    @operation()
    def retrieve(self) -> None:
        """One dataset with its figures, its report and its lineage."""

    @operation(takes=DatasetInput)
    def partial_update(self, data: JSON) -> None:
        """Change a dataset's licence, source, ethics approval and consent, or archive it and restore it."""
        with transaction.atomic():
            if "archived" in data:
                item_editing.archive_dataset(self.row, out=data.pop("archived"))
            item_editing.describe(self.row, **data)

    @operation(gives=QueuedSerializer)
    def destroy(self) -> Job:
        """Hide a dataset now and erase it in 30 days.

        Until then its job can be undone. A dataset that a batch or another dataset is made of cannot be deleted.
        """
        return dataset_removal.begin(self.row, user=self.request.user)

    @action("get", "export/<slug:format>", query=ExportFilter, files={BYTES: BINARY})
    def export(self, query: JSON) -> HttpResponseBase:
        """The dataset as a streamed file of a format.

        The document `provenance` tells how each item was made, by its id. A format that cannot hold the items is
        refused with 409.
        """
        format, folder, name = self.kwargs["format"], query["folder"], self.row.slug
        if format not in FORMATS or (folder and not dataset_files.parted(format)):
            raise Http404
        if folder:
            blocks = dataset_files.stream_folder(self.row, format)
        else:
            blocks = dataset_files.stream_dataset(self.row, format, archived=query["archived"])
        suffix = ".zip" if folder else FORMATS[format].suffix
        return logged_download(self.request, self.row, blocks, name=f"{name}.{format}{suffix}")

    @action(
        "get",
        "documents/<slug:document>",
        query=DocumentFilter,
        choices={"document": TYPES},
        files={"text/markdown": TEXT, "application/x-ndjson": BINARY},
        id="getDatasetDocument",
    )
    def document(self, query: JSON) -> HttpResponseBase:
        """The dataset's provenance (JSON lines), datasheet or card (Markdown)."""
        document, format = self.kwargs["document"], query.get("format") or self.row.format
        blocks = dataset_documents.stream_document(self.row, document, format=format)
        file = f"{self.row.slug}.{dataset_documents.DOCUMENTS[document]}"
        return logged_download(self.request, self.row, blocks, name=file, kind=TYPES[document])
