"""Databases that are too old for this release: migrations that they lack were replaced by one."""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

REVISION = "2b50119f"  # of the repository: the last with the migrations that were replaced
LAST = {  # {app: the last of them}
    "annotation": "0025_asked_models",
    "marketplaces": "0010_plainer_labels",
    "studies": "0003_crossed",
    "judges": "0002_asked_models",
}


def too_old(database: BaseDatabaseWrapper) -> str:
    """Why this release cannot upgrade the database, and the way out; "" if it can, or if there are no tables."""
    with database.cursor() as cursor:
        if "django_migrations" not in database.introspection.table_names(cursor):
            return ""
        cursor.execute("SELECT app, name FROM django_migrations")
        applied = set(cursor.fetchall())
    for app, last in LAST.items():
        names = {name for of, name in applied if of == app}
        if names and last not in names and not any(name.startswith("0001_squashed") for name in names):
            return (
                f"The database is of an older revision of Hopscribe: {app} {max(names)}. Nothing was changed. Upgrade "
                f"it with revision {REVISION} first ({settings.PROGRAM} upgrade there), then with this one."
            )
    return ""
