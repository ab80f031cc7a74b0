"""URLs: a project's home, settings, jobs, search, log and bin."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import PROJECT
from annotation.views.people import people
from annotation.views.projects import api_tokens, jobs, log, projects, recycle_bin, search

PEOPLE = f"{PROJECT}people/members/"

pages: list[URLPattern] = [
    path("projects/new/", projects.project_new, name="project-new"),
    path(PROJECT, projects.project, name="project"),
    path(f"{PROJECT}now/", projects.project_now, name="project-now"),
    path(f"{PROJECT}settings/", projects.project_settings, name="project-settings"),
    path(f"{PROJECT}jobs/<slug:public_id>/", jobs.job, name="job"),
    path(f"{PROJECT}jobs/<slug:public_id>/again/", jobs.job_again, name="job-again"),
    path(f"{PROJECT}jobs/<slug:public_id>/import/", jobs.job_import, name="job-import"),
    path(f"{PEOPLE}<int:pk>/role/", people.member_role, name="member-role"),
    path(f"{PEOPLE}<int:pk>/remove/", people.member_remove, name="member-remove"),
    path(f"{PEOPLE}<int:pk>/restore/", people.member_restore, name="member-restore"),
    path(f"{PROJECT}log/", log.log, name="log"),
    path(f"{PROJECT}log.csv", log.log_file, name="log-file"),
    path(f"{PROJECT}bin/", recycle_bin.bin_page, name="bin"),
    path(f"{PROJECT}batches/<slug:batch>/remove/", recycle_bin.batch_remove, name="batch-remove"),
    path(f"{PROJECT}bin/batches/<slug:removed>/restore/", recycle_bin.batch_restore, name="batch-restore"),
    path(f"{PROJECT}bin/batches/<slug:removed>/erase/", recycle_bin.batch_erase, name="batch-erase"),
    path(f"{PROJECT}bin/datasets/<slug:name>/erase/", recycle_bin.dataset_erase, name="dataset-erase"),
    path(f"{PROJECT}settings/delete/", recycle_bin.project_remove, name="project-remove"),
    path(f"{PROJECT}bring-back/", recycle_bin.project_restore, name="project-restore"),
    path(f"{PROJECT}erase/", recycle_bin.project_erase, name="project-erase"),
    path(f"{PROJECT}search/", search.search, name="search"),
    path(f"{PROJECT}tokens/", api_tokens.tokens, name="tokens"),
    path(f"{PROJECT}tokens/<int:pk>/revoke/", api_tokens.token_revoke, name="token-revoke"),
]
