"""The API's addresses of the people of a project, what they hold, and what was done."""

from django.urls import URLPattern, path

from annotation.api import invites, log, qualifications, score_rules, scores, workers

PROJECT = "api/v1/projects/<slug:slug>/"
WORKER = f"{PROJECT}workers/<slug:worker>/"
TYPE = f"{PROJECT}qualifications/<slug:public_id>/"

pages: list[URLPattern] = [
    path(f"{PROJECT}log/", log.Log.as_view(), name="api-log"),
    path(f"{PROJECT}workers/", workers.Workers.as_view(), name="api-workers"),
    path(WORKER, workers.OneWorker.as_view(), name="api-worker"),
    path(f"{WORKER}activate/", workers.Activate.as_view(), name="api-worker-activate"),
    path(f"{WORKER}deactivate/", workers.Deactivate.as_view(), name="api-worker-deactivate"),
    path(f"{WORKER}block/", workers.Block.as_view(), name="api-worker-block"),
    path(f"{WORKER}unblock/", workers.Unblock.as_view(), name="api-worker-unblock"),
    path(f"{WORKER}message/", workers.MessageTo.as_view(), name="api-worker-message"),
    path(f"{PROJECT}invites/", invites.Invites.as_view(), name="api-invites"),
    path(f"{PROJECT}invites/<int:pk>/", invites.OneInvite.as_view(), name="api-invite"),
    path(f"{PROJECT}qualifications/", qualifications.Types.as_view(), name="api-qualifications"),
    path(TYPE, qualifications.OneType.as_view(), name="api-qualification"),
    path(f"{TYPE}restore/", qualifications.Restore.as_view(), name="api-qualification-restore"),
    path(f"{TYPE}scores/", scores.Scores.as_view(), name="api-scores"),
    path(f"{TYPE}scores/revoke/", scores.Revoke.as_view(), name="api-scores-revoke"),
    path(f"{TYPE}scores/rule/", score_rules.ByRule.as_view(), name="api-scores-rule"),
    path(f"{TYPE}scores/undo/", score_rules.Undo.as_view(), name="api-scores-undo"),
    path(f"{TYPE}requests/", scores.Requests.as_view(), name="api-requests"),
    path(f"{TYPE}requests/accept/", scores.Accept.as_view(), name="api-requests-accept"),
    path(f"{TYPE}requests/decline/", scores.Decline.as_view(), name="api-requests-decline"),
]
