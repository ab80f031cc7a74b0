"""What the engine finds of this app: its pages, its errand, and what datasheets say of models."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.discovery import BatchTab
from annotation.judges import views
from annotation.judges.runs import asked_models, carry_on_due
from annotation.registry import task_type

ALL = "projects/<slug:slug>/batches/<slug:batch>/models/"
ONE = f"{ALL}<slug:run>/"

PAGES = [
    path(ALL, views.model_runs, name="model-runs"),
    path(ONE, views.model_run, name="model-run"),
    *(
        path(f"{ONE}{act}/", views.model_run_act, {"act": act}, name=f"model-run-{act}")
        for act in ("send", "pause", "discard")
    ),
]
TABS = [
    BatchTab(
        "model-runs", _("Ask a model"), shown=lambda batch: task_type(batch.task).launched, beside="model-predictions"
    )
]
ASKED_MODELS = [asked_models]
ERRANDS = [carry_on_due]
