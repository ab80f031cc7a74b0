"""The API's addresses of webhooks."""

from annotation.api.routers import ProjectRouter
from annotation.webhooks.api import WebhookViewSet

router = ProjectRouter()
router.register("webhooks", WebhookViewSet, "webhook")
pages = router.urls
