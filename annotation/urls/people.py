"""URLs: accounts, members, workers, qualifications and rounds."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from annotation.urls.prefixes import BATCH, PROJECT
from annotation.views.access import require_get_or_post
from annotation.views.batches import reserved_hits
from annotation.views.people import (
    account,
    people,
    qualification_rounds,
    qualifications,
    shortcuts,
    sign_up,
    timesheet,
    two_factor,
    worker_profile,
)
from annotation.views.work import worker_home

TYPES = f"{PROJECT}qualifications/"
WORKER = f"{PROJECT}people/annotators/<int:pk>/"

pages: list[URLPattern] = [
    path("", sign_up.home, name="home"),
    path("accounts/sign-in/", require_get_or_post(sign_up.SignIn.as_view()), name="sign-in"),
    path("accounts/sign-out/", require_POST(LogoutView.as_view()), name="sign-out"),
    path("accounts/reset/<uidb64>/<token>/", require_get_or_post(sign_up.NewPassword.as_view()), name="password-reset"),
    path("accounts/preferences/", sign_up.preferences, name="preferences"),
    path("accounts/keys/", shortcuts.keys, name="keys"),
    path("accounts/language/", require_POST(sign_up.language), name="set-language"),
    path("join/<slug:token>/", sign_up.join, name="join"),
    path(f"{PROJECT}consent/", sign_up.consent_page, name="consent"),
    path(f"{PROJECT}people/", people.people, name="people"),
    path(f"{PROJECT}people/invites/<int:pk>/revoke/", people.invite_revoke, name="invite-revoke"),
    path(f"{PROJECT}people/annotators/<int:pk>/active/", people.worker_active, name="worker-active"),
    path(f"{PROJECT}people/accounts/<int:pk>/password/", people.password_link, name="password-link"),
    path("accounts/", account.account, name="account"),
    path("accounts/password/", account.password_change, name="password-change"),
    path("accounts/delete/", account.account_delete, name="account-delete"),
    path("accounts/sessions/end-others/", account.sessions_end, name="sessions-end"),
    path("accounts/sessions/<int:pk>/end/", account.session_end, name="session-end"),
    path("accounts/sign-in/code/", two_factor.sign_in_code, name="sign-in-code"),
    path("accounts/second-factor/", two_factor.second_factor, name="second-factor"),
    path(
        "accounts/second-factor/codes/",
        two_factor.second_factor_change,
        {"act": "codes"},
        name="second-factor-codes",
    ),
    path(
        "accounts/second-factor/remove/",
        two_factor.second_factor_change,
        {"act": "remove"},
        name="second-factor-remove",
    ),
    path(f"{PROJECT}people/annotators/<int:pk>/erase/", worker_profile.worker_erase, name="worker-erase"),
    path(TYPES, qualifications.qualifications, name="qualifications"),
    path(f"{TYPES}new/", qualifications.qualification_new, name="qualification-new"),
    path(f"{TYPES}<slug:public_id>/", qualifications.qualification, name="qualification"),
    path(f"{TYPES}<slug:public_id>/edit/", qualifications.qualification_edit, name="qualification-edit"),
    path(f"{TYPES}<slug:public_id>/delete/", qualifications.qualification_delete, name="qualification-delete"),
    path(f"{TYPES}<slug:public_id>/restore/", qualifications.qualification_restore, name="qualification-restore"),
    path(f"{TYPES}<slug:public_id>/grant/", qualifications.qualification_grant, name="qualification-grant"),
    path(f"{TYPES}<slug:public_id>/rule/", qualifications.qualification_rule, name="qualification-rule"),
    path(f"{TYPES}<slug:public_id>/revoke/", qualifications.qualification_revoke, name="qualification-revoke"),
    path(f"{TYPES}<slug:public_id>/undo/", qualifications.qualification_undo, name="qualification-undo"),
    path(f"{TYPES}<slug:public_id>/requests/", qualifications.qualification_requests, name="qualification-requests"),
    path(f"{PROJECT}people/annotators/<int:pk>/unblock/", people.worker_unblock, name="worker-unblock"),
    path("work/qualifications/", worker_home.my_qualifications, name="my-qualifications"),
    path("work/qualifications/<slug:public_id>/ask/", worker_home.qualification_ask, name="qualification-ask"),
    path("work/earnings/", worker_home.my_earnings, name="my-earnings"),
    path("work/messages/", worker_home.my_messages, name="my-messages"),
    path("work/messages/<slug:slug>/", worker_home.message_write, name="message-write"),
    path("work/details/<slug:slug>/", worker_home.my_details, name="my-details"),
    path("work/details/<slug:slug>/mturk-id/", worker_home.claim_mturk_id, name="claim-mturk-id"),
    path(f"{PROJECT}people/mturk-ids/", people.mturk_ids_import, name="import-mturk-ids"),
    path(f"{PROJECT}join/", sign_up.open_join, name="open-join"),
    path(f"{PROJECT}rounds/new/", qualification_rounds.round_new, name="round-new"),
    path(f"{PROJECT}rounds/chances/", qualification_rounds.round_chances, name="round-chances"),
    path(f"{BATCH}round/", qualification_rounds.round_page, name="round"),
    path(f"{BATCH}round/edit/", qualification_rounds.round_edit, name="round-edit"),
    path(f"{BATCH}round/grant/", qualification_rounds.round_grant, name="round-grant"),
    path(f"{BATCH}round/undo/", qualification_rounds.round_undo, name="round-undo"),
    path(f"{BATCH}round/results.csv", qualification_rounds.round_file, name="round-file"),
    path(f"{BATCH}workers/<int:worker>/", worker_profile.batch_worker, name="batch-worker"),
    path(f"{BATCH}workers/<int:worker>/go-on/", worker_profile.batch_worker_resume, name="batch-worker-resume"),
    path("work/<int:pk>/again/", qualification_rounds.round_again, name="round-again"),
    path(f"{PROJECT}hours/", timesheet.hours, name="hours"),
    path(f"{BATCH}reserve/", reserved_hits.reserve_hits, name="batch-reserve"),
    path(f"{BATCH}release/", reserved_hits.release_hits, name="batch-release"),
    path(WORKER, worker_profile.annotator, name="annotator"),
    path(f"{WORKER}pause/", worker_profile.annotator_act, {"act": "pause"}, name="annotator-pause"),
    path(f"{WORKER}resume/", worker_profile.annotator_act, {"act": "resume"}, name="annotator-resume"),
    path(f"{WORKER}block/", worker_profile.annotator_act, {"act": "block"}, name="annotator-block"),
    path(f"{WORKER}let-in/", worker_profile.annotator_act, {"act": "unblock"}, name="annotator-unblock"),
]
