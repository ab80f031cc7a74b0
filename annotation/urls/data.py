"""URLs: datasets and their items."""

from django.urls import URLPattern, path

from annotation.views.data import dataset_documents, datasets, derivation, item_editing, items

DATASET = "projects/<slug:slug>/datasets/<slug:name>/"
ITEM = f"{DATASET}items/<int:position>/"

pages: list[URLPattern] = [
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
        dataset_documents.dataset_document,
        name="dataset-document",
    ),
    path("projects/<slug:slug>/datasets/<slug:name>/derive/", derivation.derive, name="dataset-derive"),
    path("projects/<slug:slug>/datasets/<slug:name>/remove/", datasets.dataset_remove, name="dataset-remove"),
    path("projects/<slug:slug>/jobs/<slug:public_id>/restore/", datasets.dataset_restore, name="dataset-restore"),
    path(f"{ITEM}edit/", item_editing.item_edit, name="item-edit"),
    path(f"{ITEM}versions/", item_editing.item_versions, name="item-versions"),
    path(f"{ITEM}versions/<int:version>/restore/", item_editing.item_restore, name="item-restore"),
    path(f"{ITEM}archive/", item_editing.item_archive, name="item-archive"),
    path(f"{DATASET}archive/", item_editing.dataset_archive, name="dataset-archive"),
    path(f"{DATASET}describe/", item_editing.dataset_describe, name="dataset-describe"),
]
