"""The example dataset of a new project: the demo's invented questions, imported at the click of a button."""

import tempfile
from pathlib import Path

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.demo import world
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.errors import Refused
from annotation.formats import FORMATS
from annotation.models import Dataset, Project, User
from annotation.views.access import requester_action
from annotation.views.redirects import see


@requester_action
def dataset_example(request: HttpRequest, project: Project) -> HttpResponse:
    """Import the example dataset, and continue with the first batch on it."""
    try:
        row = example_dataset(project, request.user)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return see("datasets", project.slug)
    messages.success(request, _("The example dataset was imported. All settings below are suggestions."))
    return HttpResponseRedirect(f"{reverse('batch-new', args=[project.slug])}?dataset={row.slug}", status=303)


NAME = "example"


def example_dataset(project: Project, user: User | None) -> Dataset:
    """The project's example dataset, imported if it is not there. Raises Refused for a name that is taken."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{NAME}.jsonl"
        with file.open("wb") as out:
            FORMATS["jsonl"].write(world.examples(seed=0), out)
        import_dataset(project, file, format="jsonl", name=NAME, licence="Apache-2.0", file_name=file.name, user=user)
    return project.datasets.get(slug=NAME)
