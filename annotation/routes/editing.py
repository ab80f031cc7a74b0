"""Addresses: editing and retiring items, and retiring datasets."""

from django.urls import URLPattern, path

from annotation.views import item_editing

DATASET = "projects/<slug:slug>/datasets/<slug:name>/"
ITEM = f"{DATASET}items/<int:position>/"

pages: list[URLPattern] = [
    path(f"{ITEM}edit/", item_editing.item_edit, name="item-edit"),
    path(f"{ITEM}versions/", item_editing.item_versions, name="item-versions"),
    path(f"{ITEM}versions/<int:version>/restore/", item_editing.item_restore, name="item-restore"),
    path(f"{ITEM}retire/", item_editing.item_retire, name="item-retire"),
    path(f"{DATASET}retire/", item_editing.dataset_retire, name="dataset-retire"),
    path(f"{DATASET}describe/", item_editing.dataset_describe, name="dataset-describe"),
]
