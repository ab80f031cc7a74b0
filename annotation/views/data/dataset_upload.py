"""Import of a dataset: upload a file, or name a dataset of the Hub; mapping of columns in no known format.

The address of the page that maps columns has a signed token with the file's name in the uploads and the arguments of
its import, so that nothing is stored before the import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.data import dataset_import, hub
from annotation.flow.data.dataset_import import Unmapped, recognised
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.errors import Refused
from annotation.formats.mapped import Sample
from annotation.formats.storable import shown
from annotation.forms.datasets import ColumnMappingForm
from annotation.forms.projects import DatasetForm
from annotation.models import Job, Project
from annotation.operations import uploads
from annotation.pure.data.column_mapping import ColumnMapping, families, value_at
from annotation.views.access import Request, requester_required, require_get_or_post
from annotation.views.data.items import exhibit
from annotation.views.post_handling import see_other

SALT = "columns of an upload"
SAMPLES = 2  # values shown of each column
OF_IMPORT = ("name", "file_name", "licence", "source", "skip_bad", "dry_run", "hub")
HUB = ("repository", "revision", "config", "split")


@require_get_or_post
@requester_required
def dataset_new(request: Request, project: Project) -> HttpResponse:
    """Upload a file or name a dataset of the Hub, which a job imports."""
    form = DatasetForm(request.POST or None, request.FILES or None, initial=request.GET.dict())
    if request.method == "POST":
        form = DatasetForm(request.POST, request.FILES)
        if uploads.too_large(request):
            form.errors.pop("file", None)
            form.add_error("file", too_large())
        elif form.is_valid() and (address := _posted(request, project, form)):
            return HttpResponseRedirect(address, status=303)
    context = {"project": project, "section": "datasets", "form": form}
    context |= {"limit": settings.UPLOAD_LIMIT, "too_large": too_large()}
    return render(request, "data/upload.html", context, status=422 if form.errors else 200)


def too_large() -> str:
    """The error for an upload beyond the limit."""
    text = _("The file is larger than %(limit)s. Split it, or import it on the server with import_dataset.")
    return text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}


def _posted(request: Request, project: Project, form: DatasetForm) -> str:
    """The address of the job that imports the file, or of the page that maps its columns.

    "", with an error in the form, if it cannot be read.
    """
    upload, arguments = form.cleaned_data["file"], form.arguments()
    if wanted := form.hub_split():
        return _from_hub(request, project, form, arguments | {"hub": wanted})
    path = uploads.keep(upload)
    arguments |= {"path": str(path), "file_name": upload.name[:255]}
    try:
        names = {"file_name": upload.name, "wanted": arguments["format"]}
        arguments["format"] = recognised(path, upload.name, **names)
    except Unmapped:
        return address_of(project, path.name, arguments)
    except ImportRefused as refused:
        path.unlink()
        form.add_error("file", str(refused))
        return ""
    return _import_job(request, project, arguments, jobs.enqueue)


def _from_hub(request: Request, project: Project, form: DatasetForm, arguments: dict[str, Any]) -> str:
    """Start the job that downloads and imports; "", with an error in the form, if the server lacks the library."""
    try:
        hub.client(anonymous=True)
    except Refused as refusal:
        form.add_error("hub", str(refusal))
        return ""
    arguments["file_name"] = f"hf:{arguments['hub']['repository']}"[:255]
    return _import_job(request, project, arguments, jobs.enqueue)


def _import_job(request: Request, project: Project, arguments: dict[str, Any], post: Callable[..., Job]) -> str:
    """Add the job with `jobs.enqueue` or `enqueue_once`; returns the address of its page."""
    title = _("Check %(file)s") if arguments["dry_run"] else _("Import %(file)s as %(name)s")
    title %= {"file": arguments["file_name"][:100], "name": arguments["name"]}
    job = post("import_dataset", project=project, title=title, arguments=arguments, user=request.user)
    return reverse("job", args=[project.slug, job.public_id])


def address_of(project: Project, file: str, arguments: dict[str, Any]) -> str:
    """The page's address for a file in the uploads and the arguments of its import, perhaps with a mapping."""
    kept = {name: arguments[name] for name in (*OF_IMPORT, "mapping") if name in arguments}
    token = signing.dumps([project.pk, file, kept], salt=SALT, compress=True)
    return f"{reverse('dataset-columns', args=[project.slug])}?{urlencode({'upload': token})}"


def address_of_job(job: Job) -> str:
    """The page's address for an import whose columns can be mapped, or mapped otherwise; "" once its file is gone."""
    wanted, found = job.arguments, job.result
    file = found.get("sample") or wanted.get("sample") or Path(wanted.get("path", "")).name
    if not file or not (Path(settings.MEDIA_ROOT) / file).exists():
        return ""
    exact = {"hub": {name: found["hub"][name] for name in HUB}} if "sample" in found else {}
    return address_of(job.project, file, wanted | exact)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file whose columns are to be mapped."""

    path: Path
    arguments: dict[str, Any]
    sample: Sample

    @classmethod
    def of(cls, request: Request, project: Project) -> Upload:
        """The upload that the address names. Raises Refused if it is gone or cannot be read."""
        gone = Refused(_(jobs.FILE_GONE))
        try:
            token = signing.loads(request.GET.get("upload", ""), salt=SALT, max_age=uploads.KEPT_FOR)
        except signing.BadSignature:
            raise gone from None
        owner, file, arguments = token
        path = Path(settings.MEDIA_ROOT) / file
        if owner != project.pk or not path.exists():
            raise gone
        return cls(path, arguments, dataset_import.read_sample(path))

    def roles(self, project: Project) -> tuple[dict[str, str], str]:
        """(role of each column, the dataset whose mapping they are from, if any)."""
        if (mapping := self.arguments.get("mapping")) is not None:
            return ColumnMapping.of_json(mapping).roles(), ""
        proposed = dataset_import.suggestion(project, self.path)
        pairs = (word.split("=", 1) for word in proposed["suggested"])
        return {column: role for role, column in pairs}, proposed["remembered"]


@require_get_or_post
@requester_required
def dataset_columns(request: Request, project: Project) -> HttpResponse:
    """Say what each column holds, with a preview of three items; then a job imports the file."""
    try:
        upload = Upload.of(request, project)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return see_other("dataset-new", project.slug)
    roles, remembered = upload.roles(project)
    columns = families(upload.sample.columns)
    form = ColumnMappingForm(request.POST if request.method == "POST" else None, columns=list(columns), roles=roles)
    if request.method == "POST" and form.is_valid() and "import" in request.POST:
        return _import(request, project, upload, form.mapping)
    context = {
        "project": project,
        "section": "datasets",
        "form": form,
        "rows": [
            {"field": form[f"column-{k}"], "name": name, "count": len(some), "samples": _samples(upload.sample, some)}
            for k, (name, some) in enumerate(columns.items())
        ],
        "upload": upload,
        "remembered": remembered,
        **_preview(upload, form.mapping if form.is_bound else _mapping(roles)),
    }
    if request.htmx:
        return render(request, "data/_mapping_preview.html", context)
    return render(request, "data/column_mapping.html", context, status=422 if form.errors else 200)


def _mapping(roles: dict[str, str]) -> ColumnMapping | None:
    return dataset_import.mapping_or_none((role, column) for column, role in roles.items())


def _preview(upload: Upload, mapping: ColumnMapping | None) -> dict[str, Any]:
    if mapping is None:
        return {}
    try:
        examples, report = dataset_import.preview(upload.path, mapping)
    except ImportRefused as refused:
        return {"refusal": str(refused)}
    return {"items": [exhibit(example) for example in examples], "report": report}


def _samples(sample: Sample, columns: list[str]) -> list[str]:
    """Different values of the columns, cut."""
    values = (value_at(record, column) for record in sample.records[:50] for column in columns)
    return list(dict.fromkeys(shown(value, 160) for value in values if value not in (None, "", [])))[:SAMPLES]


def _import(request: Request, project: Project, upload: Upload, mapping: ColumnMapping | None) -> HttpResponse:
    arguments = {name: upload.arguments[name] for name in OF_IMPORT if name in upload.arguments}
    arguments |= {"format": "jsonl", "mapping": mapping.as_json() if mapping else None}
    arguments |= {"sample": upload.path.name} if "hub" in arguments else {"path": str(upload.path)}
    address = _import_job(request, project, arguments, jobs.enqueue_once)
    return HttpResponseRedirect(address, status=303)
