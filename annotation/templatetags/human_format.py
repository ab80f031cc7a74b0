"""Labels and colours of states, the same on every page."""

from pathlib import PurePath

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Job
from annotation.pure.data.features import shape_words

register = template.Library()

TABLES = {".csv": "CSV", ".tsv": "TSV", ".parquet": "Parquet", ".json": "JSON"}  # by the ending of a file's name

_TONES: dict[str, str] = {
    Batch.State.LAUNCHING: "warn",
    Batch.State.OPEN: "running",
    Batch.State.PAUSED: "warn",
    Job.State.WAITING: "",
    Job.State.RUNNING: "running",
    Job.State.DONE: "good",
    Job.State.FAILED: "bad",
}


@register.filter
def state_tone(state: str) -> str:
    """The colour of a batch's or job's state in `widgets/_badge.html`."""
    return _TONES.get(state, "")


@register.filter
def shape_name(shape: str) -> str:
    """A decomposition's shape or a question's type as text, "none" if there is none."""
    return _(shape_words(shape)) if shape else _("none")


@register.filter
def format_name(dataset: Dataset) -> str:
    """A dataset's format as text; of a table whose columns were mapped, that of its file."""
    table = TABLES.get(PurePath(dataset.file_name).suffix.lower()) if dataset.format == "jsonl" else None
    return table or (FORMATS[dataset.format].title if dataset.format in FORMATS else dataset.format)


@register.filter
def grouped(number: int | None) -> str:
    """12,000; "" for None."""
    return "" if number is None else number_format(number, force_grouping=True)
