"""The example dataset of a new project: the demo's invented questions, imported at the click of a button."""

import tempfile
from pathlib import Path

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.demo import encyclopedia
from annotation.demo.project_setup import imported
from annotation.models import Project
from annotation.views.access import Request, requester_action
from annotation.views.post_handling import refusal_as_message, see_other


@requester_action
def dataset_example(request: Request, project: Project) -> HttpResponse:
    """Import the example dataset, and continue with the first batch on it."""
    with refusal_as_message(request), tempfile.TemporaryDirectory() as folder:
        row = imported(project, "example", encyclopedia.examples(seed=0), Path(folder), user=request.user)
        messages.success(request, _("The example dataset was imported. All settings below are suggestions."))
        return HttpResponseRedirect(f"{reverse('batch-new', args=[project.slug])}?dataset={row.slug}", status=303)
    return see_other("datasets", project.slug)
