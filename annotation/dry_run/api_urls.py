"""The API's addresses of dry runs."""

from annotation.api.routers import ProjectRouter
from annotation.dry_run.api import DryRunViewSet

router = ProjectRouter(aliases={"batches/<slug:batch>/rehearse/": "batches/<slug:batch>/dry-run/"})
router.register("batches/<slug:batch>/dry-run", DryRunViewSet, "dry-run")
pages = router.urls
