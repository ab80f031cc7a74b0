"""Settings of a simulation: a SQLite file of its own, whose locks nobody waits for (the scheduler does)."""

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, INSTALLED_APPS, _var

MIGRATION_MODULES = {app.rpartition(".")[2]: None for app in INSTALLED_APPS}
_name = _var / "simulation.sqlite3"
_options = DATABASES["default"]["OPTIONS"] | {"timeout": 0}
_options["init_command"] = _options["init_command"].replace("synchronous=FULL", "synchronous=OFF")  # nothing crashes
DATABASES["default"] |= {"NAME": str(_name), "OPTIONS": _options}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
