"""URLs: datasets and their items."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import DATASET, PROJECT
from annotation.views.data import column_mapping, dataset_upload, datasets, derivation, item_editing, items

ITEM = f"{DATASET}items/<int:position>/"

pages: list[URLPattern] = [
    path(f"{PROJECT}datasets/", datasets.datasets, name="datasets"),
    path(f"{PROJECT}datasets/new/", dataset_upload.dataset_new, name="dataset-new"),
    path(f"{PROJECT}datasets/new/columns/", column_mapping.dataset_columns, name="dataset-columns"),
    path(DATASET, datasets.dataset, name="dataset"),
    path(f"{DATASET}items/<int:position>/", items.item, name="item"),
    path(f"{DATASET}export/<slug:format>/", datasets.dataset_export, name="dataset-export"),
    path(f"{DATASET}documents/<slug:document>/", datasets.dataset_document, name="dataset-document"),
    path(f"{DATASET}derive/", derivation.derive, name="dataset-derive"),
    path(f"{DATASET}remove/", datasets.dataset_remove, name="dataset-remove"),
    path(f"{PROJECT}jobs/<slug:public_id>/restore/", datasets.dataset_restore, name="dataset-restore"),
    path(f"{ITEM}open/", items.item_open, name="item-open"),
    path(f"{ITEM}edit/", item_editing.item_edit, name="item-edit"),
    path(f"{ITEM}versions/", item_editing.item_versions, name="item-versions"),
    path(f"{ITEM}versions/<int:version>/restore/", item_editing.item_restore, name="item-restore"),
    path(f"{ITEM}archive/", item_editing.item_archive, name="item-archive"),
    path(f"{DATASET}archive/", item_editing.dataset_archive, name="dataset-archive"),
    path(f"{DATASET}describe/", item_editing.dataset_describe, name="dataset-describe"),
]
