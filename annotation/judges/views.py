"""The pages of a batch on asking models: a form, what would be sent, the confirmation, and the progress."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy as _

from annotation.flow.errors import Refused
from annotation.forms.projects import ConsoleForm
from annotation.judges import prompts, runs
from annotation.judges.models import ModelRun
from annotation.models import Batch, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_form, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other

State = ModelRun.State
MORE = ("name", "samples", "temperature", "seed", "concurrency", "most_tokens", "every_item", "prompt")


class ModelRunForm(ConsoleForm):
    """An endpoint, a model, prices and a ceiling."""

    endpoint = forms.CharField(
        label=_("Endpoint"), max_length=300, help_text=_("For chat completions: https://models.example.org/v1")
    )
    model = forms.CharField(label=_("Model"), max_length=200)
    secret = forms.CharField(
        label=_("API key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Stored encrypted, never shown, and deleted when all items are done."),
    )
    terms = forms.CharField(
        label=_("Terms for the output"), max_length=500, required=False,
        help_text=_("What its provider allows; for the datasheet."),
    )  # fmt: skip
    price_in = forms.DecimalField(
        label=_("Dollars per million tokens sent"), min_value=0, max_value=100_000, decimal_places=6,
        required=False,
    )  # fmt: skip
    price_out = forms.DecimalField(
        label=_("Dollars per million received"), min_value=0, max_value=100_000, decimal_places=6,
        required=False,
    )  # fmt: skip
    most_cost = forms.DecimalField(
        label=_("Ceiling in dollars"), min_value=0, max_value=100_000, decimal_places=2, required=False,
        help_text=_("Nothing is sent that could cost more. This project's budget does not pay it."),
    )  # fmt: skip
    most_calls = forms.IntegerField(
        label=_("Ceiling in requests"), min_value=1, max_value=2**31 - 1, required=False,
        help_text=_("Without prices, or as well."),
    )  # fmt: skip
    name = forms.CharField(
        label=_("Name of its predictions"), max_length=200, required=False,
        help_text=_("Leave empty for the model's. Another prompt or other settings need another name."),
    )  # fmt: skip
    samples = forms.IntegerField(label=_("Replies for each item"), min_value=1, max_value=100, initial=1)
    temperature = forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, required=False)
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**31 - 1000, required=False)
    concurrency = forms.IntegerField(label=_("Requests at the same time"), min_value=1, max_value=32, initial=8)
    most_tokens = forms.IntegerField(label=_("Most tokens of a reply"), min_value=1, max_value=100_000, initial=1024)
    every_item = forms.BooleanField(label=_("Also the items of its datasets that are not in the batch"), required=False)
    prompt = forms.CharField(
        label=_("Prompt"),
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=_(
            "Made from the instructions. Each item follows as JSON: what workers see, and what they are asked."
        ),
    )

    def first(self) -> list[forms.BoundField]:
        """The fields that are always visible."""
        return [field for field in self if field.name not in MORE]

    def more(self) -> list[forms.BoundField]:
        """The fields that usually stay as they are, beside the prompt."""
        return [field for field in self if field.name in MORE and field.name != "prompt"]

    def more_is_wrong(self) -> bool:
        """Whether one of these has an error."""
        return any(name in MORE for name in self.errors)


@member_form(roles.SEE, posting=roles.RUN)
def model_runs(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The batch's runs, newest first, and the form; POST makes a draft, which sends nothing yet."""
    posted = request.POST if request.method == "POST" else None
    form = ModelRunForm(posted, initial={"prompt": prompts.default_prompt(batch)})
    if posted is not None and form.is_valid():
        given = {name: value for name, value in form.cleaned_data.items() if value is not None}
        with refusal_in_form(form):
            run = runs.draft(batch, user=request.user, **given)
            return see_other("model-run", project.slug, batch.slug, run.public_id)
    rows = batch.model_runs.defer("secret").order_by("-pk")
    context = batch_context(batch, "model-runs", form=form, runs=rows)
    return render(request, "judges/model_runs.html", context, status=422 if form.errors else 200)


@member_page(roles.SEE)
def model_run(request: Request, project: Project, batch: Batch, run: str) -> HttpResponse:
    """A run: what would be sent, or how far it is."""
    row = _run(batch, run)
    context: dict[str, Any] = {"run": row, "counts": runs.counts(row), "settled": runs.settled(row)}
    if request.htmx:
        return render(request, "judges/_progress.html", {"project": project, "batch": batch, **context})
    try:
        context["outgoing"] = runs.outgoing(row)
    except Refused as nothing:
        context["refused"] = str(nothing)
    asks_more = "outgoing" in context and context["outgoing"].requests > context["settled"]
    context["can_send"] = project.ask_models and asks_more and row.state in (State.DRAFT, State.DONE)
    return render(request, "judges/model_run.html", batch_context(batch, "model-runs", leaf=row.name, **context))


@member_action(roles.RUN)
def model_run_act(request: Request, project: Project, batch: Batch, run: str, act: str) -> HttpResponse:
    """Send (or go on), pause, or discard a run that was never confirmed."""
    row = _run(batch, run)
    with refusal_as_message(request):
        {"send": runs.confirm, "pause": runs.pause, "discard": runs.discard}[act](row)
    if act == "discard":
        return see_other("model-runs", project.slug, batch.slug)
    return see_other("model-run", project.slug, batch.slug, run)


def _run(batch: Batch, public_id: str) -> ModelRun:
    return get_object_or_404(batch.model_runs.defer("secret").select_related("batch__project"), public_id=public_id)
