"""The report of a batch, its preregistration and its models' predictions; what a planned study can find."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError

from annotation import jobs
from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import BINARY, JSON, TEXT, Filter, Input, posted_file_and_fields
from annotation.api.setting_fields import filter_of
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches.hit_filters import BatchPart, ReportPart
from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores, power_plan, preregistration, score_looks
from annotation.flow.reports.model_predictions import delete_predictions, models_with_counts
from annotation.flow.reports.preregistration import LABELS
from annotation.models import Batch, BatchModel, Job
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.reports import tables
from annotation.pure.reports.preregistration import LONGEST
from annotation.pure.reports.report_values import table_of, tables_of
from annotation.pure.reports.table_files import FILES
from annotation.pure.statistics.power import KINDS, MOST_RESPONSES, PAIRED


class PartInput(Input, filter_of(ReportPart)):  # type: ignore[misc]  # a class made by a call
    """Part of a batch, as a body."""

    EXAMPLE = {"dataset": "wells", "hops": 3}


class TableSerializer(serializers.Serializer):
    """A table. A cell is text, a number, null, or a figure {value, low, high, n} from 0 to 1."""

    name = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField(allow_null=True)))


class ReportSerializer(serializers.Serializer):
    """The report as last computed."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="When it was computed; null: never.")
    fresh = serializers.BooleanField(help_text="Whether it covers the current responses.")
    tables = TableSerializer(many=True)
    content = serializers.DictField(allow_null=True, help_text="The complete report as the task computes it.")


def table_data(table: JSON) -> JSON:
    """A table with its texts in the reader's language; figures stay unformatted."""
    return {
        "name": table["name"],
        "title": tables.title_of(table, _),
        "note": tables.note_of(table, _),
        "columns": tables.quotable(table, _)[0],
        "rows": [[_cell(cell) for cell in row] for row in table["rows"]],
    }


def _cell(cell: Any) -> Any:
    plain = cell is None or tables.is_figure(cell) or isinstance(cell, int | float | str)
    return cell if plain else tables.cell_text(cell, _)


def report_data(batch: Batch, part: BatchPart) -> JSON:
    """The stored report of a batch or of a part of it."""
    kept = batch_scores.kept_report(batch, part)
    if kept is None:
        return {"computed_at": None, "fresh": False, "tables": [], "content": None}
    score_looks.record_look(batch)
    return {
        "computed_at": kept.created_at,
        "fresh": batch_scores.is_fresh(batch, kept),
        "tables": [table_data(table) for table in tables_of(kept.content)],
        "content": kept.content,
    }


class BatchReportViewSet(BatchPartViewSet):
    """The report of a batch."""

    serializer_class = ReportSerializer
    single = True

    @operation(query=ReportPart)
    def retrieve(self, part: ReportPart) -> JSON:
        """The report of a batch, or of a part of it, as last computed."""
        return report_data(self.batch, BatchPart(**vars(part)))

    @action(takes=PartInput, gives=QueuedSerializer, act=roles.SEE)
    def refresh(self, part: ReportPart) -> Job:
        """Recalculate the report of a batch, or of a part of it, in a job."""
        arguments = {"batch": self.batch.pk} | ({"cut": part.query} if part.key else {})
        title = _("Report on %(batch)s") % {"batch": self.batch.title}
        return self.enqueue("score_batch", title, arguments)

    @action(
        "get",
        "tables/<slug:table>/<slug:format>",
        query=ReportPart,
        choices={"format": FILES},
        files={form.media: TEXT for form in FILES.values()},
        id="exportReportTable",
    )
    def table(self, part: ReportPart) -> HttpResponseBase:
        """A table of the stored report as a file: `tex`, `md` or `csv`."""
        table, format = self.kwargs["table"], self.kwargs["format"]
        kept = batch_scores.kept_report(self.batch, BatchPart(**vars(part)))
        found = table_of(kept.content, table) if kept else None
        if found is None:
            raise Http404
        score_looks.record_look(self.batch)
        name = f"{self.batch.slug}-{table}.{format}"
        return logged_download(
            self.request, self.batch, FILES[format].write(found, _), name=name, kind=FILES[format].media
        )


def _share(text: str) -> serializers.FloatField:
    return serializers.FloatField(min_value=0, max_value=1, required=False, help_text=text)


class PowerFilter(Filter):
    """A plan. Rates and shares are from 0 to 1."""

    kind = serializers.ChoiceField(
        choices=KINDS, default=PAIRED, help_text="Two conditions on the same items, on different ones, or one rate."
    )
    items = serializers.IntegerField(
        min_value=2, max_value=MOST_RESPONSES, default=115, help_text="Items in each condition."
    )
    answers = serializers.IntegerField(min_value=1, max_value=100, default=3, help_text="Responses to an item.")
    workers = serializers.IntegerField(
        min_value=2, max_value=10_000, default=30, help_text="Workers in each condition."
    )
    first = _share("Expected rate of right responses; by default the pilot's, else 0.8.")
    second = _share("Rate of the other condition, or the value to compare with; by default 0.05 less than `first`.")
    by_item = _share("Share of the variance between items; by default the pilot's, else 0.5.")
    by_worker = _share("Share of the variance between workers; by default the pilot's, else 0.05.")
    alike = _share("Correlation of an item's effects in both conditions; 0.8 by default.")
    pilot = serializers.SlugField(required=False, help_text="A batch whose responses give rate and shares.")
    counts = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        help_text="Of a pilot's ratings: a response is right if they fulfil this, such as `faithful >= 3`; by default "
        "if all of it is as gold has it.",
    )
    price = serializers.DecimalField(
        max_digits=8, decimal_places=2, min_value=0, required=False, help_text="Of a response with fees, in dollars."
    )
    budget = serializers.DecimalField(
        max_digits=9, decimal_places=2, min_value=0, required=False, help_text="In dollars; needs `price`."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**53 - 1, default=0)


class SimulatedShareSerializer(serializers.Serializer):
    """A share of simulations with its 95 % interval; `n` counts the simulations."""

    value = serializers.FloatField(help_text="The share.")
    low = serializers.FloatField(help_text="Lower end of the interval.")
    high = serializers.FloatField(help_text="Upper end of the interval.")
    n = serializers.IntegerField(help_text="Simulations.")


class PowerPilotSerializer(serializers.Serializer):
    """What the pilot shows."""

    batch = serializers.CharField()
    counts = serializers.CharField(help_text="What the ratings of a right response fulfil; empty: gold says it.")
    rate = serializers.FloatField(help_text="Rate of right responses.")
    by_item = serializers.FloatField(allow_null=True, help_text="Null: no item has two responses.")
    by_worker = serializers.FloatField(allow_null=True, help_text="Null: no worker has two responses.")
    items = serializers.IntegerField(help_text="Items of the pilot.")
    workers = serializers.IntegerField(help_text="Workers of the pilot.")
    responses = serializers.IntegerField(help_text="Responses of the pilot.")


class PowerSerializer(serializers.Serializer):
    """What the plan can find, with everything that it was computed from."""

    kind = serializers.ChoiceField(choices=KINDS)
    first = serializers.FloatField(help_text="Expected rate of right responses.")
    second = serializers.FloatField(help_text="Rate of the other condition, or the value to compare with.")
    items = serializers.IntegerField(help_text="Items in each condition.")
    answers = serializers.IntegerField(help_text="Responses to an item in each condition.")
    workers = serializers.IntegerField(help_text="Workers in each condition.")
    by_item = serializers.FloatField(help_text="Share of the variance between items.")
    by_worker = serializers.FloatField(help_text="Share of the variance between workers.")
    alike = serializers.FloatField(help_text="Correlation of an item's effects in both conditions.")
    responses = serializers.IntegerField(help_text="Responses of all conditions.")
    people = serializers.IntegerField(help_text="Workers of all conditions.")
    power = SimulatedShareSerializer(help_text="Share of simulations that find the difference.")
    false_alarms = SimulatedShareSerializer(help_text="The same where nothing differs.")
    margin = serializers.FloatField(help_text="Median half of the 95 % interval.")
    detectable = serializers.FloatField(
        allow_null=True,
        help_text="Smallest difference found with the target power, in the planned direction; null: out of reach.",
    )
    items_needed = serializers.IntegerField(
        allow_null=True, help_text="Fewest items with the target power; null: out of reach."
    )
    level = serializers.FloatField(help_text="Of the two-sided test.")
    target = serializers.FloatField(help_text="The target power.")
    simulations = serializers.IntegerField(help_text="Simulated data sets.")
    seed = serializers.IntegerField()
    pilot = PowerPilotSerializer(allow_null=True, help_text="What the pilot shows; null: the plan has none.")
    text = serializers.CharField(help_text="The plan in sentences that a paper can quote.")
    tables = TableSerializer(many=True)


class PowerViewSet(ResourceViewSet):
    """The power of a plan."""

    serializer_class = PowerSerializer
    single = True

    @operation(query=PowerFilter)
    def retrieve(self, query: JSON) -> JSON:
        """What a planned comparison, or a rate, can find, by simulation; nothing is stored."""
        pilot = None
        if query.get("pilot"):
            pilot = Batch.objects.filter(project=self.project, slug=query["pilot"]).first()
            if pilot is None:
                raise ValidationError({"pilot": [_("There is no batch %(name)s.") % {"name": query["pilot"]}]})
        try:
            found = power_plan.plan(query, pilot=pilot)
        except Refused as why:
            raise ValidationError(str(why)) from None
        text = " ".join(tables.sentence(part, _) for part in found["paragraph"])
        return found | {"text": text, "tables": [table_data(table) for table in found["tables"]]}


def _text(what: str, *, required: bool) -> serializers.CharField:
    return serializers.CharField(max_length=LONGEST, required=required, allow_blank=not required, help_text=what)


class PreregistrationInput(Input):
    """The texts to register; the batch's settings are added."""

    EXAMPLE = {"hypotheses": "People answer better with all paragraphs.", "analysis": "McNemar's test, two-sided."}

    hypotheses = _text("What is expected.", required=True)
    design = _text("What the settings do not say of the design.", required=False)
    exclusions = _text("Which responses or HITs will be excluded.", required=False)
    analysis = _text("How the hypotheses will be tested.", required=True)


class DepartureSerializer(serializers.Serializer):
    """A setting that differs from what is registered."""

    setting = serializers.ChoiceField(choices=list(LABELS), help_text="Its name in the file.")
    registered = serializers.CharField(help_text="Its value in the file.")
    now = serializers.CharField(help_text="Its value now.")


class PreregistrationSerializer(serializers.Serializer):
    """What is registered, and what differs from it."""

    sha256 = serializers.CharField(help_text="SHA-256 of the file.")
    registered_at = serializers.DateTimeField(help_text="When it was registered.")
    document = serializers.DictField(help_text="The file: the texts, and the settings at that time.")
    late = serializers.BooleanField(help_text="Whether a response came in at the same instant or before.")
    differences = DepartureSerializer(many=True, help_text="Settings that differ from it now.")


class PreregistrationViewSet(BatchPartViewSet):
    """The preregistration of a batch."""

    serializer_class = PreregistrationSerializer
    single = True

    @operation()
    def retrieve(self) -> JSON:
        """What is registered for a batch, and what differs from it; 404 without any."""
        made = preregistration.registered(self.batch)
        if made is None:
            raise NotFound(_("Nothing is registered for this batch."))
        return preregistration.as_json(made)

    @action(takes=PreregistrationInput, gives=PreregistrationSerializer, id="preregisterBatch")
    def register(self, data: JSON) -> JSON:
        """Preregister a batch. Refused after its first response, and if something is registered already."""
        return preregistration.as_json(preregistration.register(self.batch, data, user=self.request.user))


class BatchModelSerializer(serializers.Serializer):
    """A model with predictions for the batch's task."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    items = serializers.IntegerField(help_text="How many items it judged.")
    runs = serializers.IntegerField(help_text="How many runs it has; those on an item are one prediction.")
    cost = serializers.DecimalField(
        max_digits=20, decimal_places=8, allow_null=True, help_text="US dollars, not paid from the project's budget."
    )
    created_at = serializers.DateTimeField(help_text="When predictions of it were first stored.")


class PredictionsInput(Input):
    """What a file of predictions is about."""

    texts = True
    model = serializers.CharField(max_length=200, help_text="Its name. Use another for another prompt or version.")
    dataset = serializers.CharField(max_length=100, required=False, help_text="Of a batch with several: which one.")
    file_name = serializers.CharField(max_length=255, required=False, help_text="The file's name.")


class PredictionsUploadSerializer(PredictionsInput):
    """Predictions as a form, with the file."""

    file = serializers.FileField()


BODIES = {"multipart/form-data": PredictionsUploadSerializer, "application/octet-stream": BINARY}


class BatchModelViewSet(BatchPartViewSet):
    """Models with predictions for a batch's task."""

    serializer_class = BatchModelSerializer
    lookup_field, lookup_value_converter = "pk", "int"
    row: BatchModel

    def get_queryset(self) -> Any:
        return models_with_counts(self.batch)

    @operation()
    def list(self) -> None:
        """List the models with predictions for the batch's task, oldest first."""

    @operation(takes=BODIES, parameters=(PredictionsInput,), gives=QueuedSerializer, id="importPredictions")
    def create(self) -> Job:
        """Import a model's predictions for the batch's task, in a job. All or nothing.

        The file is the body itself, with the other fields in the query, or the part `file` of a form: JSON lines of
        `item` (position or id), `answer` (as a worker's response) and perhaps `confidence`, `cost` and `run`; of
        ratings also a table. The same file again changes nothing. No worker sees a prediction.
        """
        empty = _("The file is empty. Send one with at least one prediction.")
        file, data = posted_file_and_fields(self.request, PredictionsInput, empty)
        file.name = data.get("file_name") or file.name
        known = {dataset.slug: dataset for dataset in self.batch.datasets.all()}
        dataset = known.get(data.get("dataset", next(iter(known)) if len(known) == 1 else ""))
        if dataset is None:
            text = _("Name one of the batch's datasets: %(names)s.") % {"names": ", ".join(sorted(known))}
            raise ValidationError({"dataset": [text]})
        return jobs.start_import_of_predictions(
            self.batch, dataset, model=data["model"], file=file, user=self.request.user
        )

    @operation(id="deletePredictions")
    def destroy(self) -> None:
        """Erase a model's predictions for the batch, for good."""
        delete_predictions(self.batch, self.row.name)
