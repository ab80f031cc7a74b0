"""What an administrator asks of an installation that misbehaves: is each part well, and if not, how is it mended?"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from django.utils import timezone

from annotation.flow import connecting, resealing
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Connection, Job
from annotation.pure import lifecycle

LEAST_FREE = 2**30  # bytes on the disk of HOPSCRIBE_VAR
MOST_SKEW = 5.0  # seconds between this machine's clock and the database's
MOST_AGE = 3 * 3600.0  # seconds, of the last hourly copy
LATE = timedelta(minutes=5)  # after which a job that nobody took says that nobody takes any


@dataclass(frozen=True, slots=True)
class Finding:
    """One part and how it is. `mend` says what to do where it is not well."""

    part: str
    well: bool
    told: str
    mend: str = ""


def examine() -> Iterator[Finding]:
    """Every part of the installation but the broker, which jobs know. Nothing is changed."""
    database = _database()
    yield database
    yield from _settings()
    yield _disk()
    yield _static()
    yield _mail()
    yield _limits()
    if database.well:
        yield _clock()
        yield _jobs()
        yield _sweeps()
        yield from _copies()
        secrets = _secrets()
        yield secrets
        if secrets.well:
            yield from map(_marketplace, Connection.objects.select_related("project").order_by("pk"))


def _database() -> Finding:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as broken:
        mend = "Start it, or correct DATABASE_URL."
        return Finding("database", False, f"does not answer: {str(broken).strip().splitlines()[0]}", mend)
    if missing:
        return Finding("database", False, f"{len(missing)} migrations are missing", "Run: manage.py migrate")
    return Finding("database", True, f"{connection.vendor} answers, with every migration")


def _settings() -> Iterator[Finding]:
    """What `manage.py check` says, warnings included."""
    found = [message for message in checks.run_checks(databases=["default"]) if not message.is_silenced()]
    for message in found:
        yield Finding(f"settings {message.id}", message.level < checks.WARNING, message.msg, message.hint or "")
    if not found:
        yield Finding("settings", True, "nothing to say")


def _disk() -> Finding:
    free = shutil.disk_usage(settings.VAR).free
    told = f"{free / 2**30:.1f} GB free where HOPSCRIBE_VAR lies"
    return Finding("storage", free >= LEAST_FREE, told, "Free some space, or move HOPSCRIBE_VAR to a larger disk.")


def _static() -> Finding:
    try:
        staticfiles_storage.url("css/base.css")
    except ValueError:
        return Finding("static files", False, "were not collected", "Run: manage.py collectstatic --noinput")
    return Finding("static files", True, "are collected")


def _mail() -> Finding:
    if not settings.EMAIL_URL:
        return Finding("mail", True, "none is sent; EMAIL_URL lets notices go out by e-mail")
    try:
        with get_connection():
            return Finding("mail", True, f"{settings.EMAIL_HOST} takes letters")
    except (OSError, SMTPException) as broken:
        told = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} takes none: {type(broken).__name__}"
        return Finding("mail", False, told, "Correct EMAIL_URL, or let the mail server be reached from here.")


def _limits() -> Finding:
    """Where requests to the API are counted (annotation.api.limits); who cannot count limits nobody."""
    part, counts = "limits of the API", caches["counts"]
    if isinstance(counts, LocMemCache):
        told = f"each web process counts for itself, so that up to WEB_WORKERS times {settings.API_RATE} pass"
        return Finding(part, True, f"{told}; with Redis as CELERY_BROKER_URL all count together")
    try:
        counts.get("doctor")
    except Exception as away:
        told = f"nothing is counted: {type(away).__name__}"
        return Finding(part, False, told, "Start Redis, or correct CELERY_BROKER_URL.")
    return Finding(part, True, f"{settings.API_RATE}, counted together in Redis")


def _clock() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        there = cursor.fetchone()[0]
    if isinstance(there, str):  # SQLite's, in UTC
        there = datetime.fromisoformat(there).replace(tzinfo=UTC)
    skew = abs((there - timezone.now()).total_seconds())
    told = f"this machine and the database differ by {skew:.1f} s"
    return Finding("clock", skew <= MOST_SKEW, told, "Let both keep time by NTP; signatures depend on it.")


def _jobs() -> Finding:
    late = Job.objects.filter(state=Job.State.WAITING, due_at__lt=Now() - LATE).count()
    told = f"{late} waiting for more than five minutes" if late else "none is waiting for long"
    mend = "Start a Celery worker and beat, or the web server where no broker is set; `manage.py sweep` does them now."
    return Finding("jobs", not late, told, mend)


def _sweeps() -> Finding:
    """Leases that are over are given back by a clock; where they lie about, it stands still."""
    over = Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=Now() - LATE).count()
    told = f"{over} leases are over for more than five minutes" if over else "leases that are over are given back"
    return Finding("clock of the sweeps", not over, told, "Start beat and a worker, or run: manage.py sweep")


def _copies() -> Iterator[Finding]:
    """On SQLite the sweeps copy the database each hour; elsewhere `back_up` is the administrator's own to call."""
    if connection.vendor != "sqlite":
        return
    made = sorted(file.stat().st_mtime for file in (settings.VAR / "backups").glob("hopscribe-*.sqlite3"))
    age = timezone.now().timestamp() - made[-1] if made else 0.0
    told = f"the last hourly copy is {age / 3600:.1f} hours old" if made else "no hourly copy was made yet"
    mend = "See that sweeps run and the disk has room; `manage.py back_up` makes one now."
    yield Finding("backups", age < MOST_AGE, told, mend)


def _secrets() -> Finding:
    lost = resealing.lost()
    told = f"{sum(lost.values())} in {', '.join(sorted(lost))} cannot be opened" if lost else "can be opened"
    mend = "Put the SECRET_KEY of before into SECRET_KEY_FALLBACKS and run manage.py reseal, or enter them again."
    return Finding("secrets at rest", not lost, told, mend)


def _marketplace(place: Connection) -> Finding:
    part = f"marketplace {place.project.slug}/{place.name}"
    try:
        funds = connecting.check(place)
    except Refused as refusal:
        return Finding(part, False, str(refusal), "Look at the project's page of marketplaces: endpoint and keys.")
    return Finding(part, True, f"answers; ${funds.available} available")
