"""URLs: reviewing responses, adjudication, gold in doubt, results."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import BATCH, PROJECT
from annotation.views.review import (
    adjudication,
    approvals,
    comments,
    gold_in_doubt,
    problem_reports,
    response_review,
    results,
    review,
)

APPROVALS = f"{PROJECT}approvals/"
REVIEW = f"{BATCH}review/"
ADJUDICATE = f"{BATCH}adjudicate/"
GOLD = f"{BATCH}gold/"

pages: list[URLPattern] = [
    path(REVIEW, review.review, name="review"),
    path(f"{REVIEW}draw/", review.review_draw, name="review-draw"),
    path(f"{REVIEW}<slug:public_id>/", response_review.review_answer, name="review-answer"),
    path(f"{REVIEW}<slug:public_id>/undo/", response_review.review_undo, name="review-undo"),
    path(f"{REVIEW}<slug:public_id>/choose/", response_review.review_choose, name="review-choose"),
    path(f"{REVIEW}<slug:public_id>/feedback/", response_review.review_feedback, name="review-feedback"),
    path(f"{REVIEW}feedback/<int:pk>/withdraw/", response_review.review_withdraw, name="review-withdraw"),
    path(ADJUDICATE, adjudication.adjudicate, name="adjudicate"),
    path(f"{ADJUDICATE}<slug:public_id>/", adjudication.adjudicate_hit, name="adjudicate-hit"),
    path(f"{ADJUDICATE}<slug:public_id>/undo/", adjudication.adjudicate_undo, name="adjudicate-undo"),
    path(GOLD, gold_in_doubt.gold, name="gold"),
    path(f"{GOLD}correct/", gold_in_doubt.gold_correct, name="gold-correct"),
    path(f"{GOLD}<slug:public_id>/", gold_in_doubt.gold_item, name="gold-item"),
    path(f"{GOLD}<slug:public_id>/undo/", gold_in_doubt.gold_undo, name="gold-undo"),
    path(f"{PROJECT}comments/<int:pk>/erase/", comments.comment_erase, name="comment-erase"),
    path(f"{PROJECT}comments/on/<slug:kind>/<slug:name>/", comments.comment_add, name="comment-add"),
    path(f"{BATCH}problem-reports/", problem_reports.problem_report_list, name="problem-reports"),
    path(f"{BATCH}problem-reports/<int:pk>/keep/", problem_reports.keep_report, name="problem-report-keep"),
    path(
        f"{BATCH}problem-reports/<int:pk>/exclude/",
        problem_reports.exclude_reported_hit,
        name="problem-report-exclude",
    ),
    path(f"{BATCH}problem-reports/<int:pk>/reopen/", problem_reports.reopen_report, name="problem-report-reopen"),
    path(f"{BATCH}responses/", results.batch_responses, name="batch-responses"),
    path(f"{BATCH}results-dataset/", results.create_results_dataset, name="results-dataset-new"),
    path(f"{BATCH}export/<slug:format>/", results.batch_export, name="batch-export"),
    path(APPROVALS, approvals.approvals, name="approvals"),
    path(f"{APPROVALS}decide/", approvals.approvals_decide, name="approvals-decide"),
    path(f"{APPROVALS}decisions.csv", approvals.approvals_file, name="approvals-file"),
    path(f"{APPROVALS}<slug:public_id>/", approvals.approval, name="approval"),
]
