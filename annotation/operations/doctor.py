"""Diagnosis of an installation: the state of each part, and how to fix it."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from smtplib import SMTPException
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from django.http.request import validate_host
from django.utils import timezone

from annotation.flow.errors import Refused
from annotation.models import Assignment, Batch, Job
from annotation.operations import backup, secret_rotation, unfinished
from annotation.operations.archive_encryption import is_encrypted
from annotation.operations.replaced_migrations import too_old
from annotation.pure.batches import lifecycle
from annotation.recruitment import Finding, marketplaces

PROGRAM = settings.PROGRAM
LEAST_FREE = 2**30  # bytes on the disk of HOPSCRIBE_VAR
MOST_SKEW = 5.0  # seconds between this machine's clock and the database's
MOST_AGE = 3 * 3600.0  # seconds, of the last hourly copy
LATE = timedelta(minutes=5)  # if a job waits longer, no worker is running


def examine() -> Iterator[Finding]:
    """Check every part of the installation but the broker, which `doctor` asks itself. Changes nothing."""
    database = _database()
    yield database
    yield from _settings(with_database=connection.connection is not None)
    yield _disk()
    yield _leftovers()
    yield _archives()
    yield _static()
    yield _mail()
    yield _limits()
    yield _reach()
    if database.well:
        yield _clock()
        yield _jobs()
        yield _sweeps()
        yield from _copies()
        yield _launches()
        secrets = _secrets()
        yield secrets
        if secrets.well:
            yield from marketplaces().findings()


def _database() -> Finding:
    try:
        if why := too_old(connection):
            text, _sentence, mend = why.partition(". ")
            return Finding("database", False, text, mend)
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except unfinished.Unfinished as begun:
        text, _sentence, mend = str(begun).partition(". ")
        return Finding("database", False, text, mend)
    except DatabaseError as broken:
        mend = "Start it, or correct DATABASE_URL."
        return Finding("database", False, f"does not answer: {str(broken).strip().splitlines()[0]}", mend)
    if missing:
        return Finding("database", False, f"{len(missing)} migrations are missing", f"Run: {PROGRAM} upgrade")
    return Finding("database", True, f"{connection.vendor} answers, all migrations applied")


def _settings(*, with_database: bool) -> Iterator[Finding]:
    """The messages of `manage.py check`, including warnings."""
    databases = ["default"] if with_database else []
    found = [message for message in checks.run_checks(databases=databases) if not message.is_silenced()]
    for message in found:
        yield Finding(f"settings {message.id}", message.level < checks.WARNING, message.msg, message.hint or "")
    if not found:
        yield Finding("settings", True, "no problems found")


def _disk() -> Finding:
    free = shutil.disk_usage(settings.VAR).free
    text = f"{free / 2**30:.1f} GB free on the disk of HOPSCRIBE_VAR"
    return Finding("storage", free >= LEAST_FREE, text, "Free some space, or move HOPSCRIBE_VAR to a larger disk.")


def _leftovers() -> Finding:
    """What killed backups and restores left; while one is under way, it cannot be told from its files."""
    part, found = "unfinished backups", backup.leftovers()
    try:
        with unfinished.alone("backup", patience=0):
            names = ", ".join(map(str, found))
    except Refused:
        return Finding(part, True, "a backup or restore is under way")
    text = f"a backup or restore was killed and left {names}" if found else "none"
    return Finding(part, not found, text, f"Web processes remove them within minutes; `{PROGRAM} sweep` does it now.")


def _archives() -> Finding:
    """Whether archives in HOPSCRIBE_VAR/backups can be read by whoever gets them."""
    files = (settings.VAR / "backups").glob("*.tar.gz*")
    clear = sorted(file.name for file in files if file.is_file() and not is_encrypted(file))
    if not settings.BACKUP_KEY:
        return Finding("archives", True, "not encrypted; set BACKUP_KEY to encrypt those that back_up writes")
    text = f"not encrypted: {', '.join(clear)}" if clear else "encrypted with BACKUP_KEY"
    mend = f"Delete them once there are newer ones; `{PROGRAM} back_up` encrypts now that BACKUP_KEY is set."
    return Finding("archives", not clear, text, mend)


def _static() -> Finding:
    try:
        staticfiles_storage.url("css/base.css")
    except ValueError:
        return Finding("static files", False, "not collected", f"Run: {PROGRAM} collectstatic --noinput")
    return Finding("static files", True, "collected")


def _mail() -> Finding:
    if not settings.EMAIL_URL:
        return Finding("mail", True, "not configured; set EMAIL_URL to send notices by email")
    try:
        with get_connection():
            return Finding("mail", True, f"{settings.EMAIL_HOST} accepts mail")
    except (OSError, SMTPException) as broken:
        text = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} does not accept mail: {type(broken).__name__}"
        return Finding("mail", False, text, "Correct EMAIL_URL, or make the mail server reachable from here.")


def _limits() -> Finding:
    """Where API requests are counted for rate limits (annotation.api.throttling); without counts there is no limit."""
    part, counts = "API rate limit", caches["counts"]
    if isinstance(counts, LocMemCache):
        text = f"counted per web process, so up to WEB_WORKERS times {settings.API_RATE} pass"
        return Finding(part, True, f"{text}; with Redis as CELERY_BROKER_URL the count is shared")
    try:
        counts.get("doctor")
    except Exception as away:  # each cache raises exceptions of its own
        text = f"not enforced, because requests cannot be counted: {type(away).__name__}"
        return Finding(part, False, text, "Start Redis, or correct CELERY_BROKER_URL.")
    return Finding(part, True, f"{settings.API_RATE}, counted in Redis")


def _reach() -> Finding:
    """Whether other machines reach the site at the address that invite links, mails and marketplaces name."""
    part, site = "address", urlsplit(settings.PUBLIC_URL)
    if settings.LOCAL:
        text = f"only this machine reaches {settings.PUBLIC_URL}; so invite links work nowhere else"
        return Finding(part, True, f"{text}. For others: a proxy or a tunnel with HTTPS (docs/install.md)")
    if not validate_host(site.hostname or "", settings.ALLOWED_HOSTS):
        text = f"PUBLIC_URL is {settings.PUBLIC_URL}, a host that ALLOWED_HOSTS does not name"
        return Finding(part, False, text, "Set PUBLIC_URL to the address that others use.")
    if site.scheme != "https" and settings.HTTPS:
        text = f"PUBLIC_URL is {settings.PUBLIC_URL}, but the site is served by HTTPS only"
        return Finding(part, False, text, f"Set PUBLIC_URL to https://{site.netloc}.")
    text = f"others reach {settings.PUBLIC_URL}"
    return Finding(part, True, f"{text}; receivers of webhooks must be reachable from here")


def _clock() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        there = cursor.fetchone()[0]
    if isinstance(there, str):  # SQLite's, in UTC
        there = datetime.fromisoformat(there).replace(tzinfo=UTC)
    skew = abs((there - timezone.now()).total_seconds())
    text = f"this machine and the database differ by {skew:.1f} s"
    return Finding("clock", skew <= MOST_SKEW, text, "Synchronise both by NTP; signatures depend on it.")


def _jobs() -> Finding:
    late = Job.objects.filter(state=Job.State.WAITING, due_at__lt=Now() - LATE).count()
    text = f"{late} waiting for more than five minutes" if late else "none waiting for more than five minutes"
    mend = f"Start Celery worker and beat, or without a broker the web server; `{PROGRAM} sweep` runs them now."
    return Finding("jobs", not late, text, mend)


def _sweeps() -> Finding:
    """Whether scheduled sweeps run: they expire overdue leases, so leases that stay overdue show that they do not."""
    over = Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=Now() - LATE).count()
    text = f"{over} leases overdue for more than five minutes" if over else "overdue leases expire in time"
    return Finding("scheduled sweeps", not over, text, f"Start Celery beat and a worker, or run: {PROGRAM} sweep")


def _copies() -> Iterator[Finding]:
    """The hourly copies, which sweeps make on SQLite only; elsewhere administrators schedule `back_up` themselves."""
    if connection.vendor != "sqlite":
        return
    made = sorted(file.stat().st_mtime for file in (settings.VAR / "backups").glob("hopscribe-*.sqlite3"))
    age = timezone.now().timestamp() - made[-1] if made else 0.0
    text = f"the last hourly copy is {age / 3600:.1f} hours old" if made else "no hourly copy yet"
    mend = f"Check that sweeps run and the disk is not full; `{PROGRAM} back_up` makes a copy now."
    yield Finding("backups", age < MOST_AGE, text, mend)


def _launches() -> Finding:
    """Batches that a killed command left in launch: no job is at them, and their project shows them as launching."""
    jobs = Job.objects.filter(kind="launch_batch", state__in=[Job.State.WAITING, Job.State.RUNNING])
    at_work = {job.arguments.get("batch") for job in jobs}
    launching = Batch.objects.filter(state=Batch.State.LAUNCHING, created_at__lt=Now() - LATE)
    left = [
        f"{batch.project.slug}/{batch.slug}" for batch in launching.select_related("project") if batch.pk not in at_work
    ]
    text = f"interrupted: {', '.join(left)}" if left else "none interrupted"
    mend = "Unless a command is at it now, run the command that began it again: it continues."
    return Finding("launches", not left, text, mend)


def _secrets() -> Finding:
    lost = secret_rotation.lost()
    text = f"{sum(lost.values())} in {', '.join(sorted(lost))} cannot be decrypted" if lost else "can be decrypted"
    mend = f"Add the previous SECRET_KEY to SECRET_KEY_FALLBACKS and run {PROGRAM} reseal, or enter them again."
    return Finding("stored secrets", not lost, text, mend)
