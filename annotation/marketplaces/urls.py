"""URLs of marketplaces' pages, and of our tasks inside a marketplace's frame."""

from django.urls import URLPattern, path

from annotation.marketplaces.views import connections, differences, iframe, studies, study_events, visit_preview, visits

PLACES = "projects/<slug:slug>/marketplaces/"
THERE = "projects/<slug:slug>/batches/<slug:batch>/marketplace/"
FRAME = "frame/<slug:public_id>/"
VISIT = "visit/"

pages: list[URLPattern] = [
    path(PLACES, connections.marketplaces, name="marketplaces"),
    path(f"{PLACES}<int:pk>/keys/", connections.marketplace_keys, name="marketplace-keys"),
    path(f"{PLACES}<int:pk>/test/", connections.marketplace_test, name="marketplace-test"),
    path(f"{PLACES}<int:pk>/remove/", connections.marketplace_remove, name="marketplace-remove"),
    path(THERE, connections.batch_marketplace, name="batch-marketplace"),
    path(f"{THERE}differences/", differences.batch_differences, name="batch-differences"),
    path(f"{THERE}differences/compare/", differences.batch_compare, name="batch-compare"),
    path(f"{THERE}differences/<int:pk>/", differences.batch_difference_act, name="batch-difference-act"),
    path("marketplaces/<int:pk>/events/", study_events.receive, name="marketplace-events"),
    path(f"{THERE}preview/<slug:step>/", visit_preview.visit_preview, name="batch-visit-preview"),
    path(f"{THERE}study/<slug:act>/", studies.study_act, name="batch-study-act"),
    path(f"{THERE}pay.csv", studies.study_pay_file, name="batch-study-pay-file"),
    path(f"{THERE}<slug:act>/", connections.batch_marketplace_act, name="batch-marketplace-act"),
    path(VISIT, visits.visit, name="visit"),
    path(f"{VISIT}leave/", visits.leave, name="visit-leave"),
    path(f"{VISIT}<slug:token>/", visits.arrival, name="visit-arrival"),
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
