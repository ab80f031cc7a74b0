"""Settings of a simulation: a database of its own, whose locks nobody waits for by the clock (the scheduler does)."""

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, INSTALLED_APPS, _var

MIGRATION_MODULES = {app.rpartition(".")[2]: None for app in INSTALLED_APPS}
MODEL_ENDPOINTS, MARKETPLACE_HOSTS = ["models.example"], ["prolific.example"]
INSTALLED_APPS = [*INSTALLED_APPS, "tests.process.newer"]  # an app of a later release, with migrations
_default = DATABASES["default"]
if _default["ENGINE"] == "django.db.backends.sqlite3":
    _options = _default["OPTIONS"] | {"timeout": 0}
    _options["init_command"] = _options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    _default |= {"NAME": str(_var / "simulation.sqlite3"), "OPTIONS": _options}
else:  # no time-outs; a deadlock ends before the scheduler looks; the simulation's functions come before PostgreSQL's
    _own = "deadlock_timeout=5ms synchronous_commit=off search_path=public,simulation,pg_catalog simulation.now=epoch"
    _default["OPTIONS"] = _default["OPTIONS"] | {"options": " ".join(f"-c {setting}" for setting in _own.split())}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
