"""Addresses: members and their roles, the log, the bin."""

from django.urls import URLPattern, path

from annotation.views import discarding, logbook, members

PROJECT = "projects/<slug:slug>/"
PEOPLE = "projects/<slug:slug>/people/members/"

pages: list[URLPattern] = [
    path(f"{PEOPLE}<int:pk>/role/", members.member_role, name="member-role"),
    path(f"{PEOPLE}<int:pk>/remove/", members.member_remove, name="member-remove"),
    path(f"{PEOPLE}<int:pk>/restore/", members.member_restore, name="member-restore"),
    path(f"{PROJECT}log/", logbook.log, name="log"),
    path(f"{PROJECT}log.csv", logbook.log_file, name="log-file"),
    path(f"{PROJECT}bin/", discarding.bin_page, name="bin"),
    path(f"{PROJECT}batches/<slug:batch>/remove/", discarding.batch_remove, name="batch-remove"),
    path(f"{PROJECT}bin/batches/<slug:batch>/restore/", discarding.batch_restore, name="batch-restore"),
    path(f"{PROJECT}bin/batches/<slug:batch>/erase/", discarding.batch_erase, name="batch-erase"),
    path(f"{PROJECT}bin/datasets/<slug:name>/erase/", discarding.dataset_erase, name="dataset-erase"),
    path(f"{PROJECT}settings/delete/", discarding.project_remove, name="project-remove"),
    path(f"{PROJECT}bring-back/", discarding.project_restore, name="project-restore"),
    path(f"{PROJECT}erase/", discarding.project_erase, name="project-erase"),
]
