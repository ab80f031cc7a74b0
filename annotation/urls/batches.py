"""URLs: batches, HITs, instructions and launch."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import BATCH, PROJECT
from annotation.views.batches import batches, hits, launch, preview

pages: list[URLPattern] = [
    path(f"{PROJECT}batches/", batches.batches, name="batches"),
    path(f"{PROJECT}batches/new/", launch.batch_new, name="batch-new"),
    path(f"{PROJECT}batches/new/consequences/", launch.batch_consequences, name="batch-consequences"),
    path(f"{PROJECT}batches/new/instructions-preview/", launch.instructions_preview, name="instructions-preview"),
    path(BATCH, batches.batch_overview, name="batch"),
    path(f"{BATCH}edit/", launch.batch_edit, name="batch-edit"),
    path(f"{BATCH}launch/", launch.batch_launch, name="batch-launch"),
    path(f"{BATCH}preview/", preview.batch_preview, name="batch-preview"),
    path(f"{BATCH}preview/<int:item>/<int:seed>/live/<slug:name>/", preview.preview_live, name="preview-live"),
    path(f"{BATCH}move/<slug:move>/", batches.batch_move, name="batch-move"),
    path(f"{BATCH}add-assignments/", batches.batch_add_assignments, name="batch-add-assignments"),
    path(f"{BATCH}assignments/", batches.batch_assignments, name="batch-assignments"),
    path(f"{BATCH}hits/", hits.hits, name="hits"),
    path(f"{BATCH}hits/<slug:public_id>/", hits.hit, name="hit"),
    path(f"{BATCH}hits/<slug:public_id>/open/", hits.hit_open, name="hit-open"),
    path(f"{BATCH}hits/<slug:public_id>/exclude/", hits.hit_exclude, name="hit-exclude"),
    path(f"{BATCH}hits/<slug:public_id>/restore/", hits.hit_restore, name="hit-restore"),
    path(f"{BATCH}instructions/", batches.instructions, name="instructions"),
    path(f"{BATCH}discard/", batches.batch_discard, name="batch-discard"),
    path(f"{BATCH}settings/", batches.batch_settings, name="batch-settings"),
    path(f"{BATCH}clone/", batches.batch_clone, name="batch-clone"),
    path(f"{BATCH}next/", batches.batch_next, name="batch-next"),
]
