"""The table of contents: every address of the site."""

from django.contrib.auth import views as auth
from django.urls import path
from django.views.i18n import set_language

from annotation.views import accounts, datasets, health, items, jobs, people, projects, work, worker

annotator_pages = [
    path("work/", work.work, name="work"),
    path("work/history/", work.history, name="history"),
    path("work/batches/<int:pk>/start/", worker.start, name="batch-start"),
    path("work/batches/<int:pk>/guide/", worker.batch_guide, name="batch-guide"),
    path("work/batches/<int:pk>/done/", work.batch_done, name="batch-done"),
    path("assignments/<str:public_id>/", worker.assignment, name="assignment"),
    path("assignments/<str:public_id>/submit/", worker.submit, name="submit"),
    path("assignments/<str:public_id>/draft/", worker.draft, name="draft"),
    path("assignments/<str:public_id>/return/", worker.give_back, name="return"),
    path("assignments/<str:public_id>/skip/", worker.skip, name="skip"),
    path("assignments/<str:public_id>/take-up/", worker.take_up, name="take-up"),
    path("assignments/<str:public_id>/extend/", worker.extend, name="extend"),
    path("assignments/<str:public_id>/flag/", worker.flag, name="flag"),
    path("assignments/<str:public_id>/back/", worker.back, name="back"),
    path("assignments/<str:public_id>/live/<slug:name>/", worker.live, name="live"),
]

account_pages = [
    path("", accounts.home, name="home"),
    path(
        "accounts/sign-in/",
        auth.LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True),
        name="sign-in",
    ),
    path("accounts/sign-out/", auth.LogoutView.as_view(), name="sign-out"),
    path(
        "accounts/reset/<uidb64>/<token>/",
        auth.PasswordResetConfirmView.as_view(template_name="accounts/password.html", success_url="/accounts/sign-in/"),
        name="password-reset",
    ),
    path("accounts/preferences/", accounts.preferences, name="preferences"),
    path("accounts/language/", set_language, name="set-language"),
    path("join/<str:token>/", accounts.join, name="join"),
    path("projects/<slug:slug>/consent/", accounts.consent, name="consent"),
]

requester_pages = [
    path("projects/<slug:slug>/", projects.project, name="project"),
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
    path("projects/<slug:slug>/datasets/<slug:name>/remove/", datasets.dataset_remove, name="dataset-remove"),
    path("projects/<slug:slug>/people/", people.people, name="people"),
    path("projects/<slug:slug>/people/invites/<int:pk>/revoke/", people.invite_revoke, name="invite-revoke"),
    path("projects/<slug:slug>/people/annotators/<int:pk>/active/", people.worker_active, name="worker-active"),
    path("projects/<slug:slug>/people/accounts/<int:pk>/password/", people.password_link, name="password-link"),
    path("projects/<slug:slug>/jobs/<str:public_id>/", jobs.job, name="job"),
    path("projects/<slug:slug>/jobs/<str:public_id>/again/", jobs.job_again, name="job-again"),
    path("projects/<slug:slug>/jobs/<str:public_id>/restore/", datasets.dataset_restore, name="dataset-restore"),
]

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    *account_pages,
    *annotator_pages,
    *requester_pages,
]
