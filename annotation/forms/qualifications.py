"""Forms of qualifications."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.flow.people import bulk_grants
from annotation.flow.setting_values import validate_languages
from annotation.forms.projects import ConsoleForm
from annotation.forms.row_fields import RowsField
from annotation.models import Batch, Project, QualificationType
from annotation.pure.mturk.mturk_xml import read_answer_key, read_question
from annotation.pure.mturk.question_form import QuestionForm
from annotation.pure.people.requirements import LARGEST, SMALLEST

LONGEST_FILE = 2_000_000  # of a file of scores, in bytes
RETRIES = [("", _("Never")), ("0", _("At once")), ("3600", _("After an hour")), ("86400", _("After a day"))]
RETRIES += [("604800", _("After a week")), ("2592000", _("After 30 days"))]


def score_field(**more: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=SMALLEST, max_value=LARGEST, **more)


def _retries(kept: int | None) -> list[tuple[str, Any]]:
    """The choices if `kept` is stored: repeated requests, once allowed, stay allowed."""
    if kept is None:
        return RETRIES
    others = [choice for choice in RETRIES if choice[0]]
    here = (str(kept), _("After %(n)s seconds") % {"n": kept})
    return others if here[0] in dict(others) else [*others, here]


class QualificationTypeForm(ConsoleForm):
    """A qualification type: description, requests and test."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        validators=[validate_languages],
        help_text=_("Shown to workers, as in “requires 80 in …”."),
    )
    description = forms.CharField(
        label=_("Description"),
        max_length=2000,
        validators=[validate_languages],
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What the qualification stands for and how to earn it. Shown to workers."),
    )
    keywords = forms.CharField(label=_("Keywords"), max_length=1000, required=False)
    requestable = forms.BooleanField(label=_("Workers can request it"), required=False, initial=True)
    retry_seconds = forms.ChoiceField(label=_("Workers can request it again after"), choices=RETRIES, required=False)
    auto_granted = forms.BooleanField(label=_("Grant requests automatically"), required=False)
    auto_value = score_field(label=_("… with the score"), required=False, initial=1)
    test = forms.CharField(
        label=_("Test"),
        required=False,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=_("A QuestionForm in XML, as in the MTurk API. Leave empty for no test."),
    )
    answer_key = forms.CharField(
        label=_("Answer key"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("An AnswerKey in XML. Without one, you review the test and enter the score."),
    )
    test_minutes = forms.IntegerField(
        label=_("Time for the test (minutes)"), min_value=1, max_value=1440, required=False
    )

    def __init__(self, posted: Any = None, *, type: QualificationType | None = None) -> None:
        super().__init__(posted, initial=self._stored(type) if type else None)
        if type is not None:
            del self.fields["name"]
            self.fields["retry_seconds"].choices = _retries(type.retry_seconds)

    @staticmethod
    def _stored(type: QualificationType) -> dict[str, Any]:
        same = ("description", "keywords", "auto_granted", "auto_value", "test", "answer_key")
        retry = "" if type.retry_seconds is None else str(type.retry_seconds)
        minutes = -(-type.test_seconds // 60) if type.test_seconds else None
        active = type.status == QualificationType.Status.ACTIVE
        found = {name: getattr(type, name) for name in same}
        return found | {"requestable": active, "retry_seconds": retry, "test_minutes": minutes}

    def clean_test(self) -> str:
        return self._checked("test", lambda xml: isinstance(read_question(xml), QuestionForm))

    def clean_answer_key(self) -> str:
        return self._checked("answer_key", lambda xml: read_answer_key(xml) is not None)

    def _checked(self, name: str, reads: Any) -> str:
        text: str = self.cleaned_data[name].strip()
        try:
            fit = not text or reads(text)
        except ValueError as malformed:
            raise ValidationError(str(malformed)) from None
        if not fit:
            raise ValidationError(_("This is not a QuestionForm."))
        return text

    def terms(self) -> dict[str, Any]:
        """The columns of the type, without its name."""
        cleaned = self.cleaned_data
        same = ("description", "keywords", "auto_granted", "test", "answer_key")
        active, status = cleaned["requestable"], QualificationType.Status
        return {name: cleaned[name] for name in same} | {
            "status": status.ACTIVE if active else status.INACTIVE,
            "retry_seconds": int(cleaned["retry_seconds"]) if cleaned["retry_seconds"] else None,
            "auto_value": 1 if cleaned["auto_value"] is None else cleaned["auto_value"],
            "test_seconds": 60 * cleaned["test_minutes"] if cleaned["test_minutes"] else None,
        }


class ScoresForm(ConsoleForm):
    """One score for several workers, one name per line."""

    names = forms.CharField(
        label=_("Workers"),
        max_length=200_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_("Pseudonyms or worker IDs, one per line."),
    )
    value = score_field(label=_("Score"), initial=100)
    reason = forms.CharField(
        label=_("Reason"), required=False, max_length=1000, help_text=_("Kept in your own history.")
    )

    def lines(self) -> list[str]:
        """The entries as lines of a file of scores."""
        names = self.cleaned_data["names"].replace(",", "\n").split()
        return [f"{name},{self.cleaned_data['value']}" for name in names]


class ScoreFileForm(ConsoleForm):
    """A file of scores, `worker,value`; its effect is shown before anything is granted."""

    file = forms.FileField(label=_("File"), help_text=_("CSV with two columns: worker (pseudonym or ID), value."))

    def clean_file(self) -> bytes:
        upload = self.cleaned_data["file"]
        if upload.size > LONGEST_FILE:
            raise ValidationError(_("The file is larger than 2 MB. Split it into parts."))
        return bytes(upload.read())


class BatchesField(RowsField):
    def label_from_instance(self, batch: Batch) -> str:
        return batch.title


class RuleForm(ConsoleForm):
    """A rule: which workers of which batches get which score."""

    batches = BatchesField(label=_("Batches"), queryset=Batch.objects.none())
    figure = forms.ChoiceField(label=_("Measure"), choices=list(bulk_grants.FIGURES.items()))
    least = forms.IntegerField(label=_("Minimum"), initial=75, min_value=0, max_value=10**9)
    answers = forms.IntegerField(label=_("Minimum number of responses"), initial=1, min_value=1, max_value=10**9)
    value = score_field(
        label=_("Score to grant"), required=False, help_text=_("Leave empty to grant the value of the measure.")
    )

    def __init__(self, project: Project, posted: Any = None) -> None:
        super().__init__(posted)
        launched = project.batches.filter(launched_at__isnull=False)
        self.fields["batches"].queryset = launched.order_by("-launched_at")

    def scored_workers(self) -> dict[Any, int]:
        """Workers with the scores they would get."""
        terms = {name: self.cleaned_data[name] for name in ("least", "answers", "value")}
        return bulk_grants.by_rule(list(self.cleaned_data["batches"]), self.cleaned_data["figure"], **terms)

    def words(self) -> str:
        """The rule as a sentence, for the history."""
        names = ", ".join(batch.slug for batch in self.cleaned_data["batches"])
        figure = bulk_grants.FIGURES[self.cleaned_data["figure"]]
        about = {"figure": figure, "batches": names, "least": self.cleaned_data["least"]}
        return (_("%(figure)s in %(batches)s at least %(least)s") % about)[:1000]
