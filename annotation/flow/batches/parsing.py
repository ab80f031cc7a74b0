"""The one check of a batch's settings, whether they come from a page, the API, a command or a study."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotation import recruitment
from annotation.flow.batches import confidence_draw, estimates, hidden_gold, suggestions, task_fit
from annotation.flow.batches.settings import PLAIN, SETTINGS, BatchSettings, HiddenGold, columns, rule_of, stored
from annotation.flow.batches.task_fit import features_of
from annotation.flow.data.lineage import refuse_hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.people import consent, worker_names
from annotation.flow.setting_values import InvalidSettings, Problems, fill_name, read_options, read_values
from annotation.flow.work import eligibility
from annotation.models import Batch, Dataset, Project, Worker
from annotation.pure.people import roles
from annotation.pure.people.consent_text import PLACES
from annotation.pure.people.requirements import MOST_REQUIREMENTS, InvalidRequirement, Requirement, check
from annotation.pure.setting_fields import ALWAYS, Setting, settings_of
from annotation.registry import all_default_instructions, default_instructions, kinds, task_type
from annotation.tasktype import TaskType, capabilities


def parse(
    project: Project, data: Mapping[str, Any], *, batch: Batch | None = None, launching: bool = False
) -> BatchSettings:
    """Settings from any door. Raises InvalidSettings, with the problems by name.

    `data`: values or texts by name; rows of datasets, people and marketplaces, or their names. What is missing keeps
    its value in the `batch` to change, or is proposed for task and datasets. `launching`: what only a launch needs has
    to be there.
    """
    found = Reading(project, data, batch=batch, launching=launching)
    if found.problems:
        raise InvalidSettings(found.problems)
    return BatchSettings(**found.values)


def name_taken(name: str) -> str:
    text = _("The name %(name)s is taken by another batch, possibly one in the bin. Choose another name.")
    return text % {"name": name}


def proposals(kind: str) -> dict[str, Any]:
    """The settings that a task proposes, by name."""
    task = task_type(kind)
    return {"meeting": task.meeting, "assignments_per_hit": task.assignments}


class Reading:
    """Settings as far as they can be read: `values` by name, and the `problems` of the others."""

    def __init__(
        self, project: Project, data: Mapping[str, Any], *, batch: Batch | None = None, launching: bool = False
    ) -> None:
        self.project, self.batch, self.launching = project, batch, launching
        self.problems: Problems = {}
        self.values: dict[str, Any] = {}
        self.given, self.data = data, data if batch is None else self._changed(batch, data)
        if batch is None or batch.state == Batch.State.DRAFT:
            self._read_all()
        else:
            self._read_terms(batch)

    def _changed(self, batch: Batch, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """The stored settings with the changes; what its task proposed gives way to the proposals of a new one."""
        before = stored(batch)
        if (task := data.get("task", batch.task)) != batch.task and task in dict(kinds()):
            before |= {"options": {}, "meeting": None}
            if batch.assignments_per_hit == task_type(batch.task).assignments:
                before["assignments_per_hit"] = None
        return {**before, **data}

    def _read_terms(self, batch: Batch) -> None:
        """What may change after the launch; the other settings stay."""
        for name, value in stored(batch).items():
            self.values[name] = value
            if SETTINGS[name].changes != ALWAYS and self.data[name] != value:
                self.refuse(name, _("This cannot be changed after the launch."))
        self._read_plain(one for one in PLAIN if one.changes == ALWAYS)
        if self.values.get("expected_minutes", 0) is None:
            self.values["expected_minutes"] = batch.expected_seconds / 60
        self._read_people()
        self._read_requirements()
        self._read_adjudicators()

    def _read_plain(self, settings: Iterable[Setting]) -> None:
        """Values that stand alone; what a batch has and nobody changes stays, even beyond the limits of pages."""
        asked = [one for one in settings if self.batch is None or one.name in self.given]
        values, problems = read_values(asked, self.data)
        self.values |= values
        self.problems |= problems
        if text := self.values.get("instructions"):
            self.values["instructions"] = text.replace("\r\n", "\n")

    def _read_all(self) -> None:
        if self.batch is not None:
            self.values = {name: self.data[name] for name in SETTINGS}
        elif "paid" not in self.data:  # a reward alone says that the work is paid
            self.data = {**self.data, "paid": bool(self.data.get("reward"))}
        self._read_plain(PLAIN)
        self._read_names()
        self.values["datasets"] = self._datasets("datasets", self.data.get("datasets"))
        self._read_task()
        self._read_draw()
        self._read_people()
        self._read_requirements()
        self._read_place()
        self._read_gold()
        self._read_adjudicators()
        self._read_pay()
        if not {"task", "suggest"} & self.wrong and (why := suggestions.obstacle(self.batch, self.values)):
            self.refuse("suggest", why)
        if self.launching:
            self._read_consent()

    def refuse(self, name: str, text: Any) -> None:
        self.problems.setdefault(name, []).append(str(text))

    @property
    def wrong(self) -> set[str]:
        """The settings with problems."""
        return {name.partition(".")[0] for name in self.problems}

    def _read_names(self) -> None:
        fill_name(self.values, self.problems, longest=SETTINGS["name"].length)
        name = self.values["name"]
        others = Batch.everything.filter(project=self.project).exclude(pk=self.batch.pk if self.batch else 0)
        if others.filter(slug=name).exists():
            self.refuse("name", name_taken(name))

    def _datasets(self, field: str, given: Sequence[Dataset | str] | None) -> list[Dataset]:
        names = [one for one in given or () if isinstance(one, str)]
        found = {row.slug: row for row in self.project.datasets.whole().filter(slug__in=names)} if names else {}
        if unknown := next((name for name in names if name not in found), ""):
            self.refuse(field, _("There is no dataset %(name)s.") % {"name": unknown})
        rows = [found.get(one) if isinstance(one, str) else one for one in given or ()]
        return [row for row in dict.fromkeys(rows) if row is not None]

    def _read_task(self) -> None:
        """The task with its options and what it proposes, if it can use an item of the datasets."""
        kind, chosen = self.values.get("task", ""), self.values["datasets"]
        if not chosen and "datasets" not in self.problems:
            self.refuse("datasets", _("Choose at least one dataset."))
        try:
            refuse_hidden_gold(chosen)
        except Refused as refusal:
            self.refuse("datasets", refusal)
        if kind not in dict(kinds()):
            self.refuse("task", _("There is no task %(name)s.") % {"name": kind})
            return
        if needs := task_fit.misfit(chosen, kind):
            self.refuse("task", _("This task can use none of these items. %(needs)s") % {"needs": _(needs)})
        self.values |= {name: value for name, value in proposals(kind).items() if self.values.get(name, 0) is None}
        self.values["options"] = options = self._options(task_type(kind), chosen)
        if "options" not in self.wrong:
            self.problems |= task_fit.problems(chosen, task_type(kind), options)
        if "options" in self.wrong:
            return
        self._read_instructions(kind, options)
        if self.values.get("expected_minutes", 0) is None:
            self.values["expected_minutes"] = estimates.expected_seconds(chosen, kind, options) / 60

    def _read_draw(self) -> None:
        """A draw by confidence, if the task and the other settings allow it."""
        is_asked = self.values.get("sample_by") == Batch.SampleBy.CONFIDENCE
        if not is_asked or self.wrong & {"task", "options", "sample", "datasets"}:
            return
        task = task_type(self.values["task"])
        why = confidence_draw.unfit(task, task.options(self.values["options"]), self.values["sample"])
        if not why and self.batch is not None and self.batch.experiment_id is not None:
            why = _("Arms of an experiment are compared by figures that need a uniform sample.")
        if not why and self.values.get("suggest"):
            why = _("How far people follow suggestions is a figure that needs a uniform sample.")
        if why:
            self.refuse("sample_by", why)

    def _options(self, task: TaskType, datasets: Sequence[Dataset]) -> dict[str, Any]:
        """All options of the task: as given, else as proposed for the datasets."""
        chosen = capabilities.suggest(task, features_of(datasets)) | dict(self.data.get("options") or {})
        try:
            settled = read_options(task.Options, chosen)
        except InvalidSettings as invalid:
            self.problems |= invalid.problems
            return chosen
        return {name: getattr(settled, name) for name in settings_of(task.Options)}

    def _read_instructions(self, kind: str, options: Mapping[str, Any]) -> None:
        """Default instructions follow the task and its options."""
        if (self.values.get("instructions") or "").strip() in {"", *all_default_instructions()}:
            variant = capabilities.variant(task_type(kind), dict(options))
            self.values["instructions"] = default_instructions(kind, variant)

    def _read_people(self) -> None:
        given = self.data.get("people") or ()
        names = [one for one in given if isinstance(one, str)]
        found = worker_names.workers_named(self.project, names)
        if unknown := next((name for name in names if name not in found), ""):
            self.refuse("people", _("%(name)s is not a worker of this project.") % {"name": unknown})
        rows = [found.get(one) if isinstance(one, str) else one for one in given]
        self.values["people"] = [worker for worker in rows if isinstance(worker, Worker)]

    def _read_requirements(self) -> None:
        kept = {one["type"] for one in self.batch.requirements} if self.batch else set()
        found: list[Requirement] = []
        for number, one in enumerate(self.data.get("requirements") or ()):
            try:
                found.append(Requirement.read(one) if isinstance(one, Mapping) else one)
                check(found[-1:])
                eligibility.column(self.project, found[-1:], kept=kept)
            except InvalidRequirement as invalid:
                self.refuse(f"requirements.{number}.values", invalid)
            except (KeyError, TypeError, AttributeError):
                text = _("Give a place as {“country”: …, “subdivision”: …}.")
                self.refuse(f"requirements.{number}.locales", text)
            except Refused as refusal:
                self.refuse(f"requirements.{number}.type", refusal)
        if len(found) > MOST_REQUIREMENTS:
            self.refuse("requirements", _("At most %(n)s requirements are allowed.") % {"n": MOST_REQUIREMENTS})
        self.values["requirements"] = found

    def _read_place(self) -> None:
        place = self.data.get("marketplace") or None
        if isinstance(place, str):
            name, available = place, recruitment.marketplaces().available(self.project)
            place = recruitment.find_marketplace(available, name)
            if place is None:
                self.refuse("marketplace", _("There is no marketplace %(name)s.") % {"name": name})
        self.values["marketplace"] = place
        if place is not None:
            try:
                recruitment.marketplaces().check_open(place)
            except Refused as refusal:
                self.refuse("marketplace", refusal)

    def _read_gold(self) -> None:
        given = self.data.get("checks") or HiddenGold()
        data = vars(given) if isinstance(given, HiddenGold) else given
        settings = settings_of(HiddenGold)
        values, problems = read_values([one for name, one in settings.items() if name != "datasets"], data)
        self.problems |= {f"checks.{name}": texts for name, texts in problems.items()}
        datasets = self._datasets("checks.datasets", data.get("datasets"))
        self.values["checks"] = gold = HiddenGold(datasets=datasets, **values | dict.fromkeys(problems))
        if problems or not gold.percent:
            return
        try:
            hidden_gold.check(rule_of(gold), gold.percent / 100, gold.datasets, purpose=self.values.get("purpose"))
        except Refused as refusal:
            self.refuse("checks", refusal)

    def _read_adjudicators(self) -> None:
        reviewers = self.project.members.filter(role__in=roles.who_may(roles.REVIEW))
        if self.values.get("two_adjudicators") and reviewers.count() < 2:
            text = _("Only one member of this project can adjudicate. Invite a second one under People.")
            self.refuse("two_adjudicators", text)

    def _read_pay(self) -> None:
        asks = self.values.get("paid") and self.values.get("reward", 0) is None
        if asks and "task" not in self.problems and not estimates.pays_itself(self.values["task"]):
            self.refuse("reward", _("Enter the pay per assignment, or untick “Paid work”."))

    def _read_consent(self) -> None:
        for name, place in PLACES.items():
            if place in self.project.consent and not self.values.get(name):
                self.refuse(name, _("Fill this in: workers read it before their first HIT."))
        for name in consent.lacking(self.project.consent, self.values):
            self.refuse(name, consent.unsaid(name))

    @cached_property
    def unsaved(self) -> Batch | None:
        """An unsaved batch with these settings, for estimates; None if one that they need is missing or invalid."""
        needed = {"datasets", "options", "sample", "seed", "assignments_per_hit", "expected_minutes", "meeting"}
        if not self.values.get("datasets") or "options" not in self.values or needed & self.wrong:
            return None
        defaults = {name: one.default for name, one in SETTINGS.items()}
        batch = Batch(project=self.project, **columns(defaults | self.values))
        batch.predicted_for = self.batch
        if self.values["marketplace"] is not None:
            recruitment.marketplaces().choose(batch, self.values["marketplace"])
        return batch
