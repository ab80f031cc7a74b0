"""What the engine finds of this app: pages, API and jobs of studies."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.api.routers import ProjectRouter
from annotation.discovery import MenuEntry
from annotation.pure.people import roles
from annotation.studies import jobs, views
from annotation.studies.api import StudyViewSet

ALL = "projects/<slug:slug>/studies/"

router = ProjectRouter()
router.register("studies", StudyViewSet, "study")

PAGES = [
    path(ALL, views.studies, name="studies"),
    path(f"{ALL}<slug:name>/", views.study, name="study"),
    path(f"{ALL}<slug:name>/runs/<slug:run>/scores/", views.scores, name="study-scores"),
]
API = router.urls
BATCHES = [MenuEntry(roles.SEE, "studies", _("Studies"), "paper replication published figures")]
VERBS = [("launch_study", jobs.launch_study), ("analyse_study", jobs.analyse_study)]
RESULTS = [(kind, "studies/_job_result.html", lambda found: found) for kind, _verb in VERBS]
