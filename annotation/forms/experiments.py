"""The form that makes batches arms of an experiment."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.models import Batch, Experiment


class ExperimentForm(ConsoleForm):
    """Name, title, arms, and what each worker gets."""

    batches = forms.MultipleChoiceField(
        label=_("Arms"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Batches without responses so far that are in no other experiment."),
    )
    each = forms.ChoiceField(
        label=_("Each worker gets"),
        choices=Experiment.Each.choices,
        widget=forms.RadioSelect,
        initial=Experiment.Each.ONE,
        help_text=_(
            "One arm compares different workers. All arms compare each worker with themselves, which needs fewer "
            "workers; every arm stands first, second, … equally often."
        ),
    )
    slug = forms.SlugField(label=_("Name"), max_length=100)
    title = forms.CharField(
        label=_("Title shown to workers"),
        max_length=200,
        help_text=_("It becomes the title of all arms, so it should not say what differs between them."),
    )

    def __init__(self, *args: Any, choices: Sequence[Batch], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["batches"].choices = [(batch.slug, f"{batch.slug} · {batch.title}") for batch in choices]
