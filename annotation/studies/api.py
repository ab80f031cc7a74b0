"""Studies over the API: list them, show one, launch one in a job, and its figures beside the paper's."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.pagination import SinglePage
from annotation.api.serializers import JSON, Input
from annotation.api.setting_fields import input_field
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.errors import Refused
from annotation.models import Job
from annotation.pure.studies.conclusions import CONCLUSIONS
from annotation.pure.studies.definition import StudyData
from annotation.pure.studies.published import AT_LEAST, AT_MOST, UNITS
from annotation.studies import analysis, folders, jobs, plans, report
from annotation.studies.folders import Folder
from annotation.studies.launch import STUDY_SETTINGS, batches_of, begin, experiment_of
from annotation.studies.models import StudyRun


class ListedStudySerializer(serializers.Serializer):
    """A study of this installation, and its runs in the project."""

    name = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    paper = serializers.CharField(allow_blank=True, help_text="The paper whose study it is.")
    protocol = serializers.CharField(
        allow_blank=True, help_text="`paper`: its authors did this with people; `ours`: they did not."
    )
    broken = serializers.CharField(allow_blank=True, help_text="What is wrong with the study's files; empty: nothing.")
    runs = serializers.ListField(child=serializers.CharField(), help_text="The names of its runs, newest first.")


class StudyDataSerializer(serializers.Serializer):
    """A file that a study needs."""

    name = serializers.CharField()
    file = serializers.CharField(help_text="The file's name.")
    where = serializers.CharField(help_text="Where to get it.")
    is_there = serializers.BooleanField(help_text="Whether the installation has it.")


class PaperFigureSerializer(serializers.Serializer):
    """A figure as a paper prints it."""

    value = serializers.FloatField(help_text="The value, a share of 1 unless it is a count.")
    n = serializers.IntegerField(
        allow_null=True, help_text="How many it was measured on; null: the paper does not say."
    )
    place = serializers.CharField(allow_blank=True, help_text="Where the paper prints it.")
    quoted_from = serializers.CharField(
        source="from", allow_blank=True, help_text="Where it was read, if not in the paper itself."
    )


class PublishedFigureSerializer(serializers.Serializer):
    """A published figure."""

    figure = serializers.CharField(help_text="What was measured.")
    unit = serializers.ChoiceField(choices=sorted(UNITS), help_text="The unit in which the paper prints it.")
    primary = serializers.BooleanField(help_text="Whether a conclusion is drawn from it; at most ten of a study are.")
    bound = serializers.ChoiceField(
        choices=["", AT_LEAST, AT_MOST], help_text="What the paper says of the value; empty: it equals it."
    )
    contrast = serializers.BooleanField(help_text="Whether it is the difference of two batches of the study.")
    paper = PaperFigureSerializer(help_text="The paper's value.")


class OwnFigureSerializer(serializers.Serializer):
    """A figure of a run with its 95 % interval over people and items."""

    value = serializers.FloatField(help_text="The value, a share of 1 unless it is a count.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the interval; null: it has none.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the interval; null: it has none.")
    n = serializers.IntegerField(help_text="How many it was measured on; 0: not known.")
    items_only = serializers.BooleanField(help_text="All values are equal: the interval is about items only.")


class DifferenceSerializer(serializers.Serializer):
    """A run's figure minus the paper's with a 95 % interval, the paper's annotators taken to differ as ours do."""

    value = serializers.FloatField(help_text="The difference.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the interval; null: it has none.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the interval; null: it has none.")


class ComparedFigureSerializer(PublishedFigureSerializer):
    """A published figure beside that of a run; `note` says why there is none.

    Only a primary figure leads to a conclusion. All of a run's hold together: Holm's procedure over the primary
    figures, at 5 %.
    """

    ours = OwnFigureSerializer(allow_null=True, help_text="The run's value; null: there is none.")
    difference = DifferenceSerializer(allow_null=True, help_text="The run's minus the paper's; null: there is none.")
    conclusion = serializers.ChoiceField(
        choices=["", *CONCLUSIONS], help_text="What is concluded; empty: nothing. Of a contrast it is about itself."
    )
    why = serializers.CharField(allow_blank=True, help_text="Why nothing is concluded from a primary figure.")
    p = serializers.FloatField(allow_null=True, help_text="P value, adjusted by Holm's procedure; null: no conclusion.")
    needed = serializers.FloatField(
        allow_null=True, help_text="The smallest difference that would have been a conclusion; null: no conclusion."
    )
    note = serializers.CharField(allow_blank=True, help_text="Why the run has no value, or no interval yet.")


class PlannedBatchSerializer(serializers.Serializer):
    """A batch of a study's plan; null: not known before the data is there."""

    name = serializers.CharField(help_text="Its name in the study.")
    hits = serializers.IntegerField(allow_null=True, help_text="Number of HITs.")
    assignments = serializers.IntegerField(allow_null=True)
    most_per_worker = serializers.IntegerField(allow_null=True, help_text="HITs that one worker may have; null: all.")


class StudyPlanSerializer(serializers.Serializer):
    """What a study needs at full scale; null: not known before the data is there."""

    workers = serializers.IntegerField(help_text="The least number of people who take part.")
    people_a_question = serializers.IntegerField(help_text="Different people who answer the same question.")
    assignments = serializers.IntegerField(allow_null=True)
    hours = serializers.FloatField(allow_null=True, help_text="Hours of work at the study's expected times.")
    wage = serializers.FloatField(help_text="Dollars an hour: the project's minimum, or 12.")
    cost = serializers.FloatField(allow_null=True, help_text="Dollars for these hours, without fees.")
    batches = PlannedBatchSerializer(many=True, help_text="The same for each batch.")


class StudySerializer(ListedStudySerializer):
    """A study with what it needs, what was published, and its text."""

    about = serializers.CharField(help_text="What people do.")
    readme = serializers.CharField(help_text="What the paper says and leaves open, and what was chosen; Markdown.")
    data = StudyDataSerializer(many=True, help_text="The files that it needs.")  # type: ignore[assignment]  # a field of that name
    published = PublishedFigureSerializer(many=True, help_text="The figures that the paper prints.")
    plan = StudyPlanSerializer(help_text="What it needs.")


class StudyRunSerializer(serializers.Serializer):
    """A run of a study, and its figures beside the paper's, of batches whose responses are all in."""

    name = serializers.CharField()
    study = serializers.CharField(help_text="The study's name.")
    seed = serializers.IntegerField()
    scale = serializers.FloatField(help_text="Share of the paper's sample sizes.")
    small = serializers.BooleanField(help_text="Whether it uses the small invented data.")
    created_at = serializers.DateTimeField()
    batches = serializers.DictField(
        child=serializers.CharField(), help_text="{name in the study: name in the project} of what is launched."
    )
    experiment = serializers.CharField(allow_null=True, help_text="The experiment of its arms; null: it has none.")
    figures = ComparedFigureSerializer(many=True, help_text="A row for each published figure.")
    family = serializers.IntegerField(help_text="How many figures are primary.")
    analysis = serializers.DictField(
        allow_null=True, help_text="What it computes from all batches together, as last computed; null: nothing."
    )


class StudyLaunchInput(Input):
    """How to launch a study."""

    EXAMPLE = {"run": "pilot", "scale": 0.1, "seed": 1}

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = {name: input_field(one) for name, one in STUDY_SETTINGS.items()}
        for name, field in fields.items():
            field.default = STUDY_SETTINGS[name].default
        return fields


class StudyViewSet(ResourceViewSet):
    """The studies of papers."""

    serializer_class = StudySerializer
    list_serializer_class = ListedStudySerializer
    pagination_class = SinglePage
    lookup_field = "name"
    row: Folder

    def get_object(self) -> Folder:
        try:
            return folders.read(self.kwargs["name"])
        except Refused as broken:
            raise Http404(str(broken)) from None

    def prepare(self, rows: list[Any]) -> list[Any]:
        runs = StudyRun.objects.filter(project=self.project).order_by("-pk").values_list("study", "slug")
        return [row | {"runs": [slug for study, slug in runs if study == row["name"]]} for row in rows]

    @operation()
    def list(self) -> list[JSON]:
        """List the studies of this installation."""
        return [_listed(name) for name in folders.names()]

    @operation()
    def retrieve(self) -> JSON:
        """One study: what people do, the files that it needs, and the figures that its paper prints."""
        found = self.row.definition
        return _listed(self.row.name) | {
            "about": found.about,
            "readme": self.row.readme,
            "data": [_needed(self.row, data) for data in found.data],
            "published": [report.published_row(row) for row in self.row.published],
            "plan": plans.as_json(plans.of_study(found), plans.wage_of(self.project)),
        }

    @action(takes=StudyLaunchInput, gives=QueuedSerializer)
    def launch(self, data: JSON) -> Job:
        """Launch a study in a job; its result has the run's name, datasets and batches with their sizes.

        The same launch again continues the same run.
        """
        run = begin(self.project, self.row, data, user=self.request.user)
        return jobs.enqueue(run, user=self.request.user)

    @action("get", "runs/<slug:run>", gives=StudyRunSerializer, id="getStudyRun")
    def run(self) -> JSON:
        """A run of a study with its figures beside the paper's, as last computed."""
        run = self._run()
        kept = {name: getattr(run, name) for name in ("study", "seed", "scale", "small", "created_at")}
        batches = {name: batch.slug for name, batch in batches_of(run).items()}
        joined = experiment_of(run)
        kept["experiment"] = joined.slug if joined else None
        figures = report.compute(run)
        return (
            kept
            | {
                "name": run.slug,
                "batches": batches,
                "figures": figures,
                "family": sum(row["primary"] for row in figures),
            }
            | {"analysis": analysis.current(run) if run.definition.analysis and not analysis.problem(run) else None}
        )

    @action("post", "runs/<slug:run>/scores", gives=QueuedSerializer, id="scoreStudyRun")
    def scores(self) -> Job:
        """Compute a run's figures in a job: those of each batch, and of all batches together.

        Before all responses are in that is logged, since whoever sees figures early may stop or go on because of them.
        """
        return jobs.enqueue_analysis(self._run(), user=self.request.user)

    def _run(self) -> StudyRun:
        run = StudyRun.objects.filter(project=self.project, study=self.row.name, slug=self.kwargs["run"]).first()
        if run is None:
            raise Http404
        return run


def _listed(name: str) -> JSON:
    """A study's name and what it is about; of a broken one, what is wrong."""
    try:
        found = folders.read(name).definition
    except Refused as broken:
        return {"name": name, "title": "", "paper": "", "protocol": "", "broken": str(broken)}
    return {"name": name, "title": found.title, "paper": found.paper, "protocol": found.protocol, "broken": ""}


def _needed(folder: Folder, data: StudyData) -> JSON:
    there = folder.wanted_file(data).exists()
    return {"name": data.name, "file": data.file, "where": data.where, "is_there": there}
