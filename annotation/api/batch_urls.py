"""The API's addresses of batches and what comes of them."""

from django.urls import URLPattern, path

from annotation.api import assignments, batch_acts, batches, continuing, flags, hits, judgments, task_kinds, verdicts

BATCHES = "api/v1/projects/<slug:slug>/batches/"
BATCH = f"{BATCHES}<slug:batch>/"

pages: list[URLPattern] = [
    path(BATCHES, batches.Batches.as_view(), name="api-batches"),
    path("api/v1/projects/<slug:slug>/tasks/", task_kinds.Tasks.as_view(), name="api-tasks"),
    path(BATCH, batches.OneBatch.as_view(), name="api-batch"),
    path(f"{BATCH}restore/", batches.Restore.as_view(), name="api-batch-restore"),
    path(f"{BATCH}quote/", batch_acts.Quote.as_view(), name="api-batch-quote"),
    path(f"{BATCH}launch/", batch_acts.Launch.as_view(), name="api-batch-launch"),
    path(f"{BATCH}pause/", batch_acts.Pause.as_view(), name="api-batch-pause"),
    path(f"{BATCH}resume/", batch_acts.Resume.as_view(), name="api-batch-resume"),
    path(f"{BATCH}close/", batch_acts.Close.as_view(), name="api-batch-close"),
    path(f"{BATCH}top-up/", batch_acts.TopUp.as_view(), name="api-batch-top-up"),
    path(f"{BATCH}gather/", batch_acts.Gather.as_view(), name="api-batch-gather"),
    path(f"{BATCH}clone/", continuing.Clone.as_view(), name="api-batch-clone"),
    path(f"{BATCH}next/", continuing.Next.as_view(), name="api-batch-next"),
    path(f"{BATCH}given/", continuing.GivenHits.as_view(), name="api-given"),
    path(f"{BATCH}given/take-back/", continuing.TakeBack.as_view(), name="api-given-take-back"),
    path(f"{BATCH}flags/", flags.Flags.as_view(), name="api-flags"),
    path(f"{BATCH}flags/<int:pk>/keep/", flags.Keep.as_view(), name="api-flag-keep"),
    path(f"{BATCH}flags/<int:pk>/reopen/", flags.Reopen.as_view(), name="api-flag-reopen"),
    path(f"{BATCH}guide/", batch_acts.Guide.as_view(), name="api-batch-guide"),
    path(f"{BATCH}hits/", hits.Hits.as_view(), name="api-hits"),
    path(f"{BATCH}hits/<slug:public_id>/", hits.OneHit.as_view(), name="api-hit"),
    path(f"{BATCH}hits/<slug:public_id>/void/", hits.Void.as_view(), name="api-hit-void"),
    path(f"{BATCH}hits/<slug:public_id>/restore/", hits.Restore.as_view(), name="api-hit-restore"),
    path(f"{BATCH}judgments/", judgments.Judgments.as_view(), name="api-judgments"),
    path(f"{BATCH}judgments/export/<slug:format>/", judgments.JudgmentsFile.as_view(), name="api-judgments-file"),
    path(f"{BATCH}verdicts/", verdicts.Verdicts.as_view(), name="api-verdicts"),
    path(f"{BATCH}verdicts/export/jsonl/", verdicts.VerdictsFile.as_view(), name="api-verdicts-file"),
    path("api/v1/projects/<slug:slug>/assignments/", assignments.Assignments.as_view(), name="api-assignments"),
    path(
        "api/v1/projects/<slug:slug>/assignments/<slug:public_id>/",
        assignments.OneAssignment.as_view(),
        name="api-assignment",
    ),
]
