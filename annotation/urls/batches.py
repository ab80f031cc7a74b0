"""URLs: batches, HITs, instructions and launch."""

from django.urls import URLPattern, path

from annotation.views.batches import add_items, batches, hits, instructions, launch, previews

BATCH = "projects/<slug:slug>/batches/<slug:batch>/"

pages: list[URLPattern] = [
    path("projects/<slug:slug>/batches/", batches.batches, name="batches"),
    path("projects/<slug:slug>/batches/new/", launch.batch_new, name="batch-new"),
    path("projects/<slug:slug>/batches/new/consequences/", launch.batch_consequences, name="batch-consequences"),
    path(
        "projects/<slug:slug>/batches/new/instructions-preview/",
        launch.instructions_preview,
        name="instructions-preview",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/", batches.batch_overview, name="batch"),
    path("projects/<slug:slug>/batches/<slug:batch>/edit/", launch.batch_edit, name="batch-edit"),
    path("projects/<slug:slug>/batches/<slug:batch>/launch/", launch.batch_launch, name="batch-launch"),
    path("projects/<slug:slug>/batches/<slug:batch>/preview/", previews.batch_preview, name="batch-preview"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/preview/<int:item>/<int:seed>/live/<slug:name>/",
        previews.preview_live,
        name="preview-live",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/move/<slug:move>/", batches.batch_move, name="batch-move"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/add-assignments/",
        batches.batch_add_assignments,
        name="batch-add-assignments",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/assignments/", batches.batch_assignments, name="batch-assignments"),
    path("projects/<slug:slug>/batches/<slug:batch>/hits/", hits.hits, name="hits"),
    path("projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/", hits.hit, name="hit"),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/exclude/", hits.hit_exclude, name="hit-exclude"
    ),
    path(
        "projects/<slug:slug>/batches/<slug:batch>/hits/<slug:public_id>/restore/",
        hits.hit_restore,
        name="hit-restore",
    ),
    path("projects/<slug:slug>/batches/<slug:batch>/instructions/", instructions.instructions, name="instructions"),
    path("projects/<slug:slug>/batches/<slug:batch>/discard/", batches.batch_discard, name="batch-discard"),
    path("projects/<slug:slug>/batches/<slug:batch>/settings/", batches.batch_settings, name="batch-settings"),
    path(f"{BATCH}clone/", add_items.batch_clone, name="batch-clone"),
    path(f"{BATCH}next/", add_items.batch_next, name="batch-next"),
]
