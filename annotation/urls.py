"""The table of contents: every address of the site."""

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.decorators.http import require_POST

from annotation.api import urls as api
from annotation.routes import (
    account,
    approvals,
    connections,
    continuing,
    correspondence,
    editing,
    founding,
    framed,
    keeping,
    marketplace,
    money,
    notices,
    qualifications,
    rehearsals,
    reporting,
    rounds,
    searching,
    staff,
    webhooks,
    wire,
)
from annotation.views import (
    accounts,
    adjudicating,
    batches,
    datasets,
    deriving,
    documents,
    doubting,
    feedback,
    flags,
    gathering,
    guides,
    health,
    hits,
    items,
    jobs,
    judging,
    judgments,
    launching,
    people,
    practice,
    previews,
    projects,
    reports,
    review,
    work,
    worker,
)
from annotation.views.access import require_get_or_post

handler400 = "annotation.views.failing.bad_request"
handler403 = "annotation.views.failing.forbidden"
handler500 = "annotation.views.failing.server_error"

annotator_pages = [
    path("work/", work.work, name="work"),
    path("work/history/", work.history, name="history"),
    path("work/batches/<int:pk>/start/", worker.start, name="batch-start"),
    path("work/batches/<int:pk>/guide/", worker.batch_guide, name="batch-guide"),
    path("work/batches/<int:pk>/practice/<int:number>/", practice.practice, name="practice"),
    path("work/batches/<int:pk>/practice/<int:number>/done/", practice.practice_done, name="practice-done"),
    path("work/batches/<int:pk>/practice/<int:number>/live/<slug:name>/", practice.practice_live, name="practice-live"),
    path("work/batches/<int:pk>/done/", work.batch_done, name="batch-done"),
    path("feedback/<int:pk>/", feedback.feedback, name="feedback"),
    path("assignments/<slug:public_id>/", worker.assignment, name="assignment"),
    path("assignments/<slug:public_id>/submit/", worker.submit, name="submit"),
    path("assignments/<slug:public_id>/draft/", worker.draft, name="draft"),
    path("assignments/<slug:public_id>/return/", worker.give_back, name="return"),
    path("assignments/<slug:public_id>/skip/", worker.skip, name="skip"),
    path("assignments/<slug:public_id>/take-up/", worker.take_up, name="take-up"),
    path("assignments/<slug:public_id>/extend/", worker.extend, name="extend"),
    path("assignments/<slug:public_id>/flag/", worker.flag, name="flag"),
    path("assignments/<slug:public_id>/back/", worker.back, name="back"),
    path("assignments/<slug:public_id>/live/<slug:name>/", worker.live, name="live"),
]

account_pages = [
    path("", accounts.home, name="home"),
    path("accounts/sign-in/", require_get_or_post(accounts.SignIn.as_view()), name="sign-in"),
    path("accounts/sign-out/", require_POST(LogoutView.as_view()), name="sign-out"),
    path(
        "accounts/reset/<uidb64>/<token>/", require_get_or_post(accounts.NewPassword.as_view()), name="password-reset"
    ),
    path("accounts/preferences/", accounts.preferences, name="preferences"),
    path("accounts/language/", require_POST(accounts.language), name="set-language"),
    path("join/<slug:token>/", accounts.join, name="join"),
    path("projects/<slug:slug>/consent/", accounts.consent, name="consent"),
]

REVIEW = "projects/<slug:slug>/batches/<slug:batch>/review/"

review_pages = [
    path(REVIEW, review.review, name="review"),
    path(f"{REVIEW}draw/", review.review_draw, name="review-draw"),
    path(f"{REVIEW}<slug:public_id>/", judging.review_answer, name="review-answer"),
    path(f"{REVIEW}<slug:public_id>/undo/", judging.review_undo, name="review-undo"),
    path(f"{REVIEW}<slug:public_id>/choose/", judging.review_choose, name="review-choose"),
    path(f"{REVIEW}<slug:public_id>/feedback/", judging.review_feedback, name="review-feedback"),
    path(f"{REVIEW}feedback/<int:pk>/withdraw/", judging.review_withdraw, name="review-withdraw"),
]

ADJUDICATE = "projects/<slug:slug>/batches/<slug:batch>/adjudicate/"

adjudicating_pages = [
    path(ADJUDICATE, adjudicating.adjudicate, name="adjudicate"),
    path(f"{ADJUDICATE}<slug:public_id>/", adjudicating.adjudicate_hit, name="adjudicate-hit"),
    path(f"{ADJUDICATE}<slug:public_id>/undo/", adjudicating.adjudicate_undo, name="adjudicate-undo"),
]

GOLD = "projects/<slug:slug>/batches/<slug:batch>/gold/"

gold_pages = [
    path(GOLD, doubting.gold, name="gold"),
    path(f"{GOLD}correct/", doubting.gold_correct, name="gold-correct"),
    path(f"{GOLD}<slug:public_id>/", doubting.gold_item, name="gold-item"),
    path(f"{GOLD}<slug:public_id>/undo/", doubting.gold_undo, name="gold-undo"),
]

batch_pages = [
    path("projects/<slug:slug>/batches/", batches.batches, name="batches"),
    path("projects/<slug:slug>/batches/new/", launching.batch_new, name="batch-new"),
    path("projects/<slug:slug>/batches/new/consequences/", launching.batch_consequences, name="batch-consequences"),
    path("projects/<slug:slug>/batches/new/guide-preview/", launching.guide_preview, name="guide-preview"),
    path("projects/<slug:slug>/batches/<slug:batch>/", batches.batch_overview, name="batch"),
    path("projects/<slug:slug>/batches/<slug:batch>/edit/", launching.batch_edit, name="batch-edit"),
    path("projects/<slug:slug>/batches/<slug:batch>/launch/", launching.batch_launch, name="batch-launch"),
    path("projects/<slug:slug>/batches/<slug:batch>/preview/", previews.batch_preview, name="batch-preview"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/preview/<int:item>/<int:seed>/live/<slug:name>/",
        previews.preview_live,
        name="preview-live",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/move/<slug:move>/", batches.batch_move, name="batch-move"),
    path("projects/<slug:slug>/batches/<slug:batch>/top-up/", batches.batch_top_up, name="batch-top-up"),
    path("projects/<slug:slug>/batches/<slug:batch>/assignments/", batches.batch_assignments, name="batch-assignments"),
    path("projects/<slug:slug>/batches/<slug:batch>/hits/", hits.hits, name="hits"),
    path("projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/", hits.hit, name="hit"),
    path("projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/void/", hits.hit_void, name="hit-void"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/restore/",
        hits.hit_restore,
        name="hit-restore",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/workers/", reports.batch_workers, name="batch-workers"),
    path("projects/<slug:slug>/batches/<slug:batch>/flags/", flags.flags, name="flags"),
    path("projects/<slug:slug>/batches/<slug:batch>/flags/<int:pk>/keep/", flags.flag_keep, name="flag-keep"),
    path("projects/<slug:slug>/batches/<slug:batch>/flags/<int:pk>/void/", flags.flag_void, name="flag-void"),
    path("projects/<slug:slug>/batches/<slug:batch>/flags/<int:pk>/reopen/", flags.flag_reopen, name="flag-reopen"),
    path("projects/<slug:slug>/batches/<slug:batch>/guide/", guides.guide, name="guide"),
    path("projects/<slug:slug>/batches/<slug:batch>/judgments/", judgments.batch_judgments, name="batch-judgments"),
    path("projects/<slug:slug>/batches/<slug:batch>/discard/", batches.batch_discard, name="batch-discard"),
    path("projects/<slug:slug>/batches/<slug:batch>/gather/", gathering.batch_gather, name="batch-gather"),
    path("projects/<slug:slug>/batches/<slug:batch>/settings/", batches.batch_settings, name="batch-settings"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/export/<slug:format>/", judgments.batch_export, name="batch-export"
    ),
]

requester_pages = [
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/now/", projects.project_now, name="project-now"),
    path("projects/<slug:slug>/datasets/new/example/", datasets.dataset_example, name="dataset-example"),
    path("projects/<slug:slug>/settings/", projects.project_settings, name="project-settings"),
    path("projects/<slug:slug>/datasets/", datasets.datasets, name="datasets"),
    path("projects/<slug:slug>/datasets/new/", datasets.dataset_new, name="dataset-new"),
    path("projects/<slug:slug>/datasets/<slug:name>/", datasets.dataset, name="dataset"),
    path("projects/<slug:slug>/datasets/<slug:name>/items/<int:position>/", items.item, name="item"),
    path(
        "projects/<slug:slug>/datasets/<slug:name>/export/<slug:format>/",
        datasets.dataset_export,
        name="dataset-export",
    ),
    path(
        "projects/<slug:slug>/datasets/<slug:name>/documents/<slug:document>/",
        documents.dataset_document,
        name="dataset-document",
    ),
    path("projects/<slug:slug>/datasets/<slug:name>/derive/", deriving.derive, name="dataset-derive"),
    path("projects/<slug:slug>/datasets/<slug:name>/remove/", datasets.dataset_remove, name="dataset-remove"),
    path("projects/<slug:slug>/people/", people.people, name="people"),
    path("projects/<slug:slug>/people/invites/<int:pk>/revoke/", people.invite_revoke, name="invite-revoke"),
    path("projects/<slug:slug>/people/annotators/<int:pk>/active/", people.worker_active, name="worker-active"),
    path("projects/<slug:slug>/people/accounts/<int:pk>/password/", people.password_link, name="password-link"),
    path("projects/<slug:slug>/jobs/<slug:public_id>/", jobs.job, name="job"),
    path("projects/<slug:slug>/jobs/<slug:public_id>/again/", jobs.job_again, name="job-again"),
    path("projects/<slug:slug>/jobs/<slug:public_id>/import/", jobs.job_import, name="job-import"),
    path("projects/<slug:slug>/jobs/<slug:public_id>/restore/", datasets.dataset_restore, name="dataset-restore"),
]

urlpatterns = [
    *account.pages,
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    *account_pages,
    *founding.pages,
    *annotator_pages,
    *requester_pages,
    *batch_pages,
    *continuing.pages,
    *correspondence.pages,
    *staff.pages,
    *editing.pages,
    *review_pages,
    *adjudicating_pages,
    *gold_pages,
    *qualifications.pages,
    *rounds.pages,
    *money.pages,
    *approvals.pages,
    *connections.pages,
    *framed.pages,
    *keeping.pages,
    *marketplace.pages,
    *wire.pages,
    *webhooks.pages,
    *rehearsals.pages,
    *reporting.pages,
    *notices.pages,
    *searching.pages,
    *api.pages,
]
