"""The API's URLs below /api/v1/."""

from typing import Any, NoReturn

from django.http import Http404
from django.urls import URLPattern, path, re_path
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation import discovery
from annotation.api.batches.batches import BatchViewSet
from annotation.api.batches.experiments import ExperimentViewSet
from annotation.api.batches.hits import BatchHitViewSet, ReservedHitViewSet
from annotation.api.batches.tasks import TaskViewSet
from annotation.api.data.datasets import DatasetViewSet
from annotation.api.data.derivations import DerivationViewSet
from annotation.api.data.items import DatasetItemViewSet
from annotation.api.money import BalanceViewSet, EntryViewSet, PaymentViewSet, PayoutViewSet
from annotation.api.people.invites import InviteViewSet
from annotation.api.people.qualification_rounds import RoundViewSet
from annotation.api.people.qualifications import QualificationViewSet
from annotation.api.people.scores import QualificationRequestViewSet, QualificationScoreViewSet
from annotation.api.people.workers import WorkerViewSet
from annotation.api.projects import JobViewSet, LogViewSet, ProjectSettingsViewSet, ProjectViewSet, TokenViewSet
from annotation.api.reports import BatchModelViewSet, BatchReportViewSet, PowerViewSet, PreregistrationViewSet
from annotation.api.review.adjudications import BatchAdjudicationViewSet, BatchAggregateViewSet
from annotation.api.review.approvals import ApprovalViewSet
from annotation.api.review.comments import CommentViewSet
from annotation.api.review.problem_reports import BatchProblemReportViewSet
from annotation.api.review.reviews import BatchReviewViewSet
from annotation.api.routers import API, ProjectRouter
from annotation.api.schema_page import SchemaPage
from annotation.api.work import AssignmentViewSet, BatchResponseViewSet

# Renamed URLs: {former beginning below the project: its beginning now}, each with a slash at its end.
ALIASES: dict[str, str] = {
    "batches/<slug:batch>/flags/": "batches/<slug:batch>/problem-reports/",
    "batches/<slug:batch>/given/take-back/": "batches/<slug:batch>/reserved-hits/release/",
    "batches/<slug:batch>/given/": "batches/<slug:batch>/reserved-hits/",
    "batches/<slug:batch>/hits/<slug:public_id>/void/": "batches/<slug:batch>/hits/<slug:public_id>/exclude/",
    "batches/<slug:batch>/judgments/": "batches/<slug:batch>/responses/",
    "batches/<slug:batch>/verdicts/": "batches/<slug:batch>/aggregates/",
    "batches/<slug:batch>/guide/": "batches/<slug:batch>/instructions/",
    "batches/<slug:batch>/gather/": "batches/<slug:batch>/create-dataset/",
    "batches/<slug:batch>/top-up/": "batches/<slug:batch>/add-assignments/",
    "datasets/<slug:name>/items/retire/": "datasets/<slug:name>/items/archive/",
    "rounds/": "qualification-rounds/",
}


class NotFoundView(APIView):
    """A 404 problem, not a page, for any method at unknown URLs below /api/."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        raise Http404


own = ProjectRouter(API)
own.register("projects", ProjectViewSet, "project")
own.register("tokens", TokenViewSet, "token")

BATCH, QUALIFICATION = "batches/<slug:batch>/", "qualifications/<slug:public_id>/"

router = ProjectRouter(aliases=ALIASES)
router.register("settings", ProjectSettingsViewSet, "settings")
router.register("jobs", JobViewSet, "job")
router.register("log", LogViewSet, "log")
router.register("datasets", DatasetViewSet, "dataset")
router.register("datasets/<slug:name>/items", DatasetItemViewSet, "item")
router.register("derivations", DerivationViewSet, "derivation")
router.register("tasks", TaskViewSet, "task")
router.register("batches", BatchViewSet, "batch")
router.register("experiments", ExperimentViewSet, "experiment")
router.register(f"{BATCH}reserved-hits", ReservedHitViewSet, "reserved-hit")
router.register(f"{BATCH}hits", BatchHitViewSet, "hit")
router.register(f"{BATCH}responses", BatchResponseViewSet, "response")
router.register(f"{BATCH}models", BatchModelViewSet, "batch-model")
router.register(f"{BATCH}aggregates", BatchAggregateViewSet, "aggregate")
router.register(f"{BATCH}problem-reports", BatchProblemReportViewSet, "problem-report")
router.register(f"{BATCH}reviews", BatchReviewViewSet, "review")
router.register(f"{BATCH}adjudications", BatchAdjudicationViewSet, "adjudication")
router.register(f"{BATCH}report", BatchReportViewSet, "report")
router.register(f"{BATCH}preregistration", PreregistrationViewSet, "preregistration")
router.register("power", PowerViewSet, "power")
router.register("comments", CommentViewSet, "comment")
router.register("assignments", AssignmentViewSet, "assignment")
router.register("approvals", ApprovalViewSet, "approval")
router.register("workers", WorkerViewSet, "worker")
router.register("invites", InviteViewSet, "invite")
router.register("qualifications", QualificationViewSet, "qualification")
router.register(f"{QUALIFICATION}scores", QualificationScoreViewSet, "score")
router.register(f"{QUALIFICATION}requests", QualificationRequestViewSet, "request")
router.register("qualification-rounds", RoundViewSet, "round")
router.register("money", BalanceViewSet, "money")
router.register("payments", PaymentViewSet, "payment")
router.register("ledger", EntryViewSet, "entry")
router.register("payouts", PayoutViewSet, "payout")

pages: list[URLPattern] = [
    path(f"{API}schema/", SchemaPage.as_view(), name="api-schema"),
    *own.get_urls(),
    *router.get_urls(),
    *discovery.listed("API"),
    re_path("^api/", NotFoundView.as_view(), name="api-nothing"),  # must be last
]
