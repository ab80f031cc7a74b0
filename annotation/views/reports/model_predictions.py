"""A batch's models: how much each predicted, importing predictions, and deleting them."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from annotation import discovery, jobs
from annotation.flow.reports.model_predictions import delete_predictions, models_with_counts
from annotation.forms.reports import PredictionsForm
from annotation.models import Batch, Project
from annotation.operations import uploads
from annotation.pure.people import roles
from annotation.registry import made_elsewhere
from annotation.views.access import member_form, requester_action
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import posted_text, refusal_as_message, refusal_in_form, see_other

PAGE = "model-predictions"


@member_form(roles.SEE, posting=roles.RUN)
def model_predictions(request: HttpRequest, project: Project, batch: Batch) -> HttpResponse:
    """The models with predictions for the batch's task, and the form; POST starts the job that imports a file."""
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = PredictionsForm(*posted, batch=batch)
    if posted and uploads.too_large(request):
        form.errors.pop("file", None)
        text = _("The file is larger than %(limit)s. Split it, or import it on the server with import_predictions.")
        form.add_error("file", text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)})
    elif posted and form.is_valid():
        with refusal_in_form(form):
            job = jobs.start_import_of_predictions(batch, **form.cleaned_data, user=request.user)
            return see_other("job", project.slug, job.public_id)
    context = batch_context(batch, PAGE, form=form, models=models_with_counts(batch).order_by("name"))
    context["examples"] = _examples(batch, context["rated"])
    context["more"] = [tab for tab in discovery.listed("TABS") if tab.beside == PAGE and tab.shown(batch)]
    return render(request, "reports/models.html", context, status=422 if form.errors else 200)


@requester_action
def model_predictions_delete(request: HttpRequest, project: Project, batch: Batch) -> HttpResponse:
    """Erase a model's predictions."""
    with refusal_as_message(request):
        delete_predictions(batch, posted_text(request, "model"))
    return see_other(PAGE, project.slug, batch.slug)


def _examples(batch: Batch, criteria: list[str]) -> list[str]:
    """How a file for the batch's task begins: a line of JSON; of ratings also a table."""
    if criteria:
        values = ", ".join(f"{json.dumps(name)}: …" for name in criteria)
        table = ",".join(["item", *criteria, "confidence"])
        return [f'{{"item": 0, "answer": {{{values}}}, "confidence": 0.9}}', f"{table}\n0{',…' * len(criteria)},0.9"]
    found = made_elsewhere(batch.task).partition("```json\n")[2].partition("\n")[0]
    if not found:
        return []
    line: dict[str, Any] = {"item": 0, "answer": json.loads(found)["answer"], "confidence": 0.9}
    return [json.dumps(line, ensure_ascii=False)]
