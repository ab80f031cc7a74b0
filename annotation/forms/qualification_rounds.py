"""The form of a qualification round: a batch's settings, and the rule to pass."""

from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches.settings import GROUPS
from annotation.flow.people import qualification_rounds
from annotation.flow.people.qualification_rounds import ROUND_SETTINGS
from annotation.forms.batch_terms import numbered_title
from annotation.forms.batches import LaunchForm
from annotation.forms.setting_fields import form_field
from annotation.models import Batch, Project, QualificationRound, User
from annotation.pure.people import round_rules as rules
from annotation.pure.people.round_rules import Clause
from annotation.registry import task_type

CLAUSES = 4
LAST_YEAR = 2100
PLACES = [("", _("all items")), (rules.EACH, _("each dataset alone"))]
COMPARED = [(">", _("above")), (">=", _("at least"))]


class ClauseForm(forms.Form):
    """A condition of the rule; without a figure it is ignored."""

    figure = forms.ChoiceField(label=_("Figure"), required=False)
    comparator = forms.ChoiceField(label=_("must be"), choices=COMPARED, required=False)
    percent = forms.FloatField(
        label=_("Percent"),
        min_value=0,
        max_value=100,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )
    dataset = forms.ChoiceField(label=_("on"), required=False)

    def __init__(self, project: Project, task: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        figures: dict[str, Any] = {}
        for grading in (QualificationRound.Grading.GOLD, QualificationRound.Grading.REQUESTER):
            figures |= qualification_rounds.figures_for(task, grading)
        self.fields["figure"].choices = [("", _("no condition")), *((k, _(f.label)) for k, f in figures.items())]  # type: ignore[attr-defined]  # as below
        slugs = project.datasets.whole().order_by("slug").values_list("slug", flat=True)
        self.fields["dataset"].choices = [*PLACES, *((slug, slug) for slug in slugs)]  # type: ignore[attr-defined]  # a ChoiceField

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("figure") and cleaned.get("percent") is None and "percent" not in self.errors:
            self.add_error("percent", _("Give a percentage."))
        return cleaned

    def clause(self) -> dict[str, Any] | None:
        """The condition as it is stored."""
        cleaned = self.cleaned_data
        if not cleaned.get("figure"):
            return None
        value = (cleaned["percent"] or 0) / 100
        return Clause(cleaned["figure"], value, cleaned["comparator"] or ">=", cleaned["dataset"]).as_json()


def shown(clause: Clause) -> dict[str, Any]:
    """A stored condition as initial values."""
    terms = {"figure": clause.figure, "comparator": clause.comparator, "dataset": clause.dataset}
    return terms | {"percent": round(100 * clause.value, 2)}


class RoundForm(LaunchForm):
    """The settings of a round: those of a batch, except what a round determines, and its own."""

    limit_minutes = forms.IntegerField(
        label=_("Time limit in minutes"),
        min_value=1,
        max_value=qualification_rounds.MONTH // 60,
        required=False,
        help_text=_("Starts with the first item. Leave empty for no limit."),
    )
    ends = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("Leave empty to run it until you close it."),
    )
    qualification = forms.CharField(max_length=200)

    is_round = True
    groups = {name: title for name, title in GROUPS.items() if name != "checks"}

    def __init__(
        self, project: Project, posted: Any = None, files: Any = None, *, batch: Batch | None = None, task: str = ""
    ) -> None:
        self._chosen_task = task
        self.round = QualificationRound.objects.filter(batch=batch).select_related("grants").first() if batch else None
        super().__init__(project, posted, files, batch=batch)
        if not self.is_bound and batch is None:
            self.options = self._suggested_for(())
            title = _("Qualification: %(task)s") % {"task": _(task_type(self.kind).title)}
            granted = project.qualification_types.values_list("name", flat=True)  # of which it would grant that one
            proposed = numbered_title(project, str(title), other_than=granted)
            self.initial["title"] = self.initial["qualification"] = proposed
        for name in (*qualification_rounds.SETTLED, "suggest"):
            self.fields.pop(name, None)
        self.fields["per_worker"] = form_field(ROUND_SETTINGS["per_worker"], initial=20)
        self.fields["tries"] = form_field(ROUND_SETTINGS["attempts"])
        graded = qualification_rounds.proposed_grading(self.kind)
        self.fields["grading"] = form_field(
            ROUND_SETTINGS["grading"], widget=forms.RadioSelect, required=True, initial=graded
        )
        grants = ROUND_SETTINGS["grants"]
        self.fields["qualification"].label, self.fields["qualification"].help_text = _(grants.label), _(grants.help)
        self.fields["sample"].label = _("Items per dataset")
        self.fields["sample"].help_text = _("Reserved for this round. Leave empty for all.")
        self.fields["marketplace"].widget = forms.HiddenInput()
        self.rows = self._clause_forms(posted)

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        if field_name == "task" and self._chosen_task and not self.initial.get("task"):
            return self._chosen_task
        return super().get_initial_for_field(field, field_name)

    def _clause_forms(self, posted: Any) -> list[ClauseForm]:
        if self.round is not None:
            rule = list(qualification_rounds.rule_of(self.round))
        else:
            grading = qualification_rounds.proposed_grading(self.kind)
            rule = qualification_rounds.proposed_rule(self.kind, grading, 1)
        initial = [shown(clause) for clause in rule]
        initial += [{}] * max(CLAUSES - len(rule), 1)
        terms = (self.project, self.kind, posted)
        return [ClauseForm(*terms, prefix=f"rule-{k}", initial=values) for k, values in enumerate(initial)]

    def stored(self, batch: Batch) -> dict[str, Any]:
        round = self.round
        if round is None:
            return super().stored(batch)
        return super().stored(batch) | {
            "per_worker": round.per_worker,
            "grading": round.grading,
            "tries": round.attempts,
            "limit_minutes": round.seconds // 60 if round.seconds else None,
            "ends": timezone.localtime(round.closes_at).date() if round.closes_at else None,
            "qualification": round.grants.name,
        }

    def clean_ends(self) -> date | None:
        day: date | None = self.cleaned_data["ends"]
        if day is not None and not 2000 < day.year < LAST_YEAR:
            raise ValidationError(_("Choose a date in this century."))
        return day

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        terms, problems = qualification_rounds.read_terms(self.reading, self.settings_data(), batch=self.batch)
        self.terms = terms
        for name, texts in problems.items():
            self.add_problem({"grants": "qualification", "attempts": "tries"}.get(name, name), texts)
        return cleaned

    def settings_data(self) -> dict[str, Any]:
        cleaned, minutes = self.cleaned_data, self.cleaned_data.get("limit_minutes")
        data = super().settings_data() | {name: cleaned.get(name) for name in ("per_worker", "grading")}
        if self.data.get("proposed_for") != self.basis and not self.options.has_object:
            data["options"] = {}  # those for these datasets were not shown yet
        return (
            data
            | qualification_rounds.SETTLED
            | {
                "attempts": cleaned.get("tries"),
                "seconds": 60 * minutes if minutes else None,
                "closes_at": self.closes_at(),
                "grants": cleaned.get("qualification"),
                "rule": self.rule(),
            }
        )

    def is_valid(self) -> bool:
        return super().is_valid() & all(row.is_valid() for row in self.rows)

    def rule(self) -> list[dict[str, Any]]:
        """The completed conditions."""
        return [clause for row in self.rows if row.is_valid() and (clause := row.clause()) is not None]

    def closes_at(self) -> datetime | None:
        """The end of the last day in the requester's time zone."""
        day = self.cleaned_data.get("ends")
        return timezone.make_aware(datetime.combine(day, time.max)) if day else None

    def chances(self) -> list[rules.Chance] | None:
        """Chances of passing by skill with these settings; None if one is missing or invalid."""
        cleaned, chosen = self.cleaned_data, list(self.cleaned_data.get("datasets") or ())
        stored, grading = self.rule(), cleaned.get("grading") or ""
        if not (stored and chosen and cleaned.get("per_worker") and cleaned.get("tries")):
            return None
        slugs = sorted(dataset.slug for dataset in chosen)
        rule = qualification_rounds.read_rule(stored, task=self.kind, grading=grading, datasets=slugs)
        shares = rules.shares(cleaned["per_worker"], slugs)
        return qualification_rounds.chances_of(rule, shares, task=self.kind, grading=grading, tries=cleaned["tries"])

    def save_draft(self, user: User) -> Batch:
        """Save the round as a draft, new or changed. Raises Refused."""
        terms = qualification_rounds.RoundSettings(**self.terms)
        stored = qualification_rounds.store_round(self.project, self.settings(), terms, batch=self.batch, user=user)
        return stored.batch
