"""What the engine finds of this app: pages of marketplaces, our tasks inside a marketplace's frame, jobs and sweeps."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.discovery import BatchTab, MenuEntry
from annotation.marketplaces import jobs
from annotation.marketplaces.flow import (
    bonuses,
    hit_sync,
    payments,
    publications,
    studies,
    study_events,
    study_sync,
    visit_decisions,
    visit_states,
    visits,
)
from annotation.marketplaces.models import Publication
from annotation.marketplaces.views import connections, differences, iframe
from annotation.marketplaces.views import studies as study_pages
from annotation.marketplaces.views import visits as visit_pages
from annotation.models import Batch
from annotation.pure.people import roles

PLACES = "projects/<slug:slug>/marketplaces/"
THERE = "projects/<slug:slug>/batches/<slug:batch>/marketplace/"
FRAME = "frame/<slug:public_id>/"
VISIT = "visit/"


def _is_published(batch: Batch) -> bool:
    return batch.on_marketplace and batch.launched_at is not None


PAGES = [
    path(PLACES, connections.marketplaces, name="marketplaces"),
    path(f"{PLACES}<int:pk>/keys/", connections.marketplace_keys, name="marketplace-keys"),
    path(f"{PLACES}<int:pk>/test/", connections.marketplace_test, name="marketplace-test"),
    path(f"{PLACES}<int:pk>/remove/", connections.marketplace_remove, name="marketplace-remove"),
    path(THERE, connections.batch_marketplace, name="batch-marketplace"),
    path(f"{THERE}differences/", differences.batch_differences, name="batch-differences"),
    path(f"{THERE}differences/compare/", differences.batch_compare, name="batch-compare"),
    path(f"{THERE}differences/<int:pk>/", differences.batch_difference_act, name="batch-difference-act"),
    path("marketplaces/<int:pk>/events/", differences.receive, name="marketplace-events"),
    path(f"{THERE}preview/<slug:step>/", visit_pages.visit_preview, name="batch-visit-preview"),
    path(f"{THERE}study/<slug:act>/", study_pages.study_act, name="batch-study-act"),
    path(f"{THERE}pay.csv", study_pages.study_pay_file, name="batch-study-pay-file"),
    path(f"{THERE}<slug:act>/", connections.batch_marketplace_act, name="batch-marketplace-act"),
    path(VISIT, visit_pages.visit, name="visit"),
    path(f"{VISIT}leave/", visit_pages.leave, name="visit-leave"),
    path(f"{VISIT}<slug:token>/", visit_pages.arrival, name="visit-arrival"),
    path(FRAME, iframe.frame, name="frame"),
    path(f"{FRAME}preview/<slug:k>/live/<slug:name>/", iframe.preview_live, name="frame-preview-live"),
    path(f"{FRAME}consent/", iframe.consent, name="frame-consent"),
    path(f"{FRAME}instructions/", iframe.instructions, name="frame-instructions"),
    path(f"{FRAME}feedback/<int:pk>/", iframe.feedback, name="frame-feedback"),
    path(f"{FRAME}practice/<int:number>/", iframe.practice, name="frame-practice"),
    path(f"{FRAME}practice/<int:number>/done/", iframe.practice_done, name="frame-practice-done"),
    path(f"{FRAME}practice/<int:number>/live/<slug:name>/", iframe.practice_live, name="frame-practice-live"),
    path(f"{FRAME}live/<slug:name>/", iframe.live, name="frame-live"),
    path(f"{FRAME}submit/", iframe.submit, name="frame-submit"),
    path(f"{FRAME}draft/", iframe.draft, name="frame-draft"),
    path(f"{FRAME}extend/", iframe.extend, name="frame-extend"),
    path(f"{FRAME}report-problem/", iframe.report_problem, name="frame-report-problem"),
    path(f"{FRAME}return/", iframe.return_assignment, name="frame-return"),
]
TABS = [BatchTab("batch-marketplace", _("Marketplace"), shown=_is_published)]
HELP = _("Publish batches on a marketplace or a panel.")
SETTINGS = [MenuEntry(roles.OWN, "marketplaces", _("Marketplaces"), "mturk aws publish", help=HELP)]
VERBS = [
    (verb.__name__, verb) for verb in (jobs.publish_batch, jobs.sync_batch, jobs.sync_study, jobs.send_study_of_batch)
]
ERRANDS = [
    *(publications.sweep, payments.sweep, hit_sync.sweep),
    *(studies.sweep, visits.sweep, visit_decisions.sweep, study_sync.sweep, bonuses.sweep, study_events.sweep),
    visit_states.sweep,
]
OUTBOXES = [("publications", Publication.objects.unsent), ("studies", studies.unsettled)]
