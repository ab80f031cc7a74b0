"""Settings for tests: the product's own, on a folder of their own, with a fast hasher and plain static files.

DATABASE_URL is honoured, so that the same tests run on PostgreSQL (tests/run_postgres.py).
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_var = Path(tempfile.mkdtemp(prefix="hopscribe-tests-"))
atexit.register(shutil.rmtree, _var, ignore_errors=True)
(_var / "static").mkdir()
os.environ["HOPSCRIBE_VAR"] = str(_var)
for _name in ("ALLOWED_HOSTS", "CELERY_BROKER_URL", "HOPSCRIBE_EPHEMERAL", "HTTPS", "SECRET_KEY"):
    os.environ.pop(_name, None)

from annotation.api.schema_settings import *  # noqa: E402, F403
from annotation.api.schema_settings import DATABASES, INSTALLED_APPS, STORAGES  # noqa: E402
from tests.without_apps import WITHOUT  # noqa: E402

INSTALLED_APPS = [app for app in INSTALLED_APPS if app.removeprefix("annotation.") not in WITHOUT]
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", "testserver"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
DATABASES["default"]["CONN_MAX_AGE"] = 0
if "options" in DATABASES["default"]["OPTIONS"]:  # a test is one transaction, however long it computes
    DATABASES["default"]["OPTIONS"]["options"] += " -c idle_in_transaction_session_timeout=0"
if "init_command" in DATABASES["default"]["OPTIONS"]:
    DATABASES["default"]["OPTIONS"]["cached_statements"] = 4096
CHECK_MTURK_OUTPUT = True
