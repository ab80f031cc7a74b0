"""The API's addresses of datasets, derivations and jobs."""

from django.urls import URLPattern, path

from annotation.api import dataset_files, datasets, derivations, item_acts, jobs

PROJECT = "api/v1/projects/<slug:slug>/"
DATASET = f"{PROJECT}datasets/<slug:name>/"
JOB = f"{PROJECT}jobs/<slug:public_id>/"

pages: list[URLPattern] = [
    path(f"{PROJECT}datasets/", datasets.Datasets.as_view(), name="api-datasets"),
    path(DATASET, datasets.OneDataset.as_view(), name="api-dataset"),
    path(f"{DATASET}items/", datasets.Items.as_view(), name="api-items"),
    path(f"{DATASET}items/retire/", item_acts.Retire.as_view(), name="api-items-retire"),
    path(f"{DATASET}items/restore/", item_acts.BringBack.as_view(), name="api-items-restore"),
    path(f"{DATASET}items/<int:position>/", item_acts.OneItem.as_view(), name="api-item"),
    path(f"{DATASET}items/<int:position>/versions/", item_acts.Versions.as_view(), name="api-item-versions"),
    path(f"{DATASET}export/<slug:format>/", dataset_files.Export.as_view(), name="api-export"),
    path(f"{DATASET}documents/<slug:document>/", dataset_files.Document.as_view(), name="api-document"),
    path(f"{PROJECT}derivations/", derivations.Derivations.as_view(), name="api-derivations"),
    path(f"{PROJECT}jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path(JOB, jobs.OneJob.as_view(), name="api-job"),
    path(f"{JOB}again/", jobs.Again.as_view(), name="api-job-again"),
    path(f"{JOB}undo/", jobs.Undo.as_view(), name="api-job-undo"),
    path(f"{JOB}import/", jobs.Import.as_view(), name="api-job-import"),
]
