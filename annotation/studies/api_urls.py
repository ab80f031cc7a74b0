"""The API's addresses of studies."""

from annotation.api.routers import ProjectRouter
from annotation.studies.api import StudyViewSet

router = ProjectRouter()
router.register("studies", StudyViewSet, "study")
pages = router.urls
