"""Settings that `make schema` and the tests use: the product's own, and drf-spectacular, which writes the schema."""

from annotation.settings import *  # noqa: F403
from annotation.settings import INSTALLED_APPS, REST_FRAMEWORK

INSTALLED_APPS = [*INSTALLED_APPS, "drf_spectacular"]
REST_FRAMEWORK = REST_FRAMEWORK | {"DEFAULT_SCHEMA_CLASS": "annotation.api.schema.OperationSchema"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Hopscribe",
    "VERSION": "1",
    "DESCRIPTION": "Datasets, batches, responses, workers and money of the projects that you are a member of.",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "BatchState": "annotation.models.Batch.State",
        "InviteRole": "annotation.models.Invite.Role",
        "JobState": "annotation.models.Job.State",
        "TokenScope": "annotation.models.ApiToken.Scope",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.api.schema.with_problems",
        "annotation.api.schema.with_descriptions",
    ],
}
