"""The API's addresses of reading answers, settling what people leave open, reports, rounds and rehearsals."""

from django.urls import URLPattern, path

from annotation.api import adjudications, rehearsals, reports, reviews, round_acts, rounds

PROJECT = "api/v1/projects/<slug:slug>/"
BATCH = f"{PROJECT}batches/<slug:batch>/"
REVIEW = f"{BATCH}reviews/<slug:public_id>/"
ADJUDICATION = f"{BATCH}adjudications/<slug:public_id>/"

pages: list[URLPattern] = [
    path(f"{BATCH}reviews/", reviews.Reviews.as_view(), name="api-reviews"),
    path(f"{BATCH}reviews/draw/", reviews.Draw.as_view(), name="api-reviews-draw"),
    path(REVIEW, reviews.OneReview.as_view(), name="api-review"),
    path(f"{REVIEW}undo/", reviews.Undo.as_view(), name="api-review-undo"),
    path(f"{REVIEW}choose/", reviews.Choose.as_view(), name="api-review-choose"),
    path(f"{REVIEW}feedback/", reviews.Feedback.as_view(), name="api-review-feedback"),
    path(f"{BATCH}adjudications/", adjudications.Adjudications.as_view(), name="api-adjudications"),
    path(ADJUDICATION, adjudications.OneAdjudication.as_view(), name="api-adjudication"),
    path(f"{ADJUDICATION}undo/", adjudications.Undo.as_view(), name="api-adjudication-undo"),
    path(f"{BATCH}report/", reports.Report.as_view(), name="api-report"),
    path(f"{BATCH}report/refresh/", reports.Refresh.as_view(), name="api-report-refresh"),
    path(
        f"{BATCH}report/tables/<slug:table>/<slug:format>/", reports.TableFile.as_view(), name="api-report-table-file"
    ),
    path(f"{BATCH}rehearse/", rehearsals.Rehearse.as_view(), name="api-batch-rehearse"),
    path(f"{PROJECT}rounds/", rounds.Rounds.as_view(), name="api-rounds"),
    path(f"{PROJECT}rounds/<slug:batch>/", round_acts.OneRound.as_view(), name="api-round"),
    path(f"{PROJECT}rounds/<slug:batch>/grant/", round_acts.Grant.as_view(), name="api-round-grant"),
    path(f"{PROJECT}rounds/<slug:batch>/undo/", round_acts.Undo.as_view(), name="api-round-undo"),
    path(f"{PROJECT}rounds/<slug:batch>/results/", rounds.Results.as_view(), name="api-round-results"),
]
