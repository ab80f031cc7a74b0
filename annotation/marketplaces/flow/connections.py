"""Connections to marketplaces: adding and testing them, and calling with limits and pauses.

Nothing here is called inside a transaction. After several consecutive failures no process calls a marketplace
until `rests_until` in its row.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Generic, TypeVar, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.marketplaces.base import Endpoint, Funds, HitMarketplace, Marketplace, MarketplaceError, TryAgain
from annotation.marketplaces.kinds import kinds
from annotation.marketplaces.models import Connection
from annotation.marketplaces.study_base import StudyMarketplace
from annotation.models import AccessKey, Project
from annotation.models.sealed import Unsealable
from annotation.pure.net.addresses import origin_of

Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=Marketplace)
AMAZON = {
    Connection.Preset.AWS: ("https://mturk-requester.us-east-1.amazonaws.com", "https://www.mturk.com"),
    Connection.Preset.AWS_SANDBOX: (
        "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
        "https://workersandbox.mturk.com",
    ),
}


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits and waiting times of calls.

    `memory`: how long the marketplace remembers tokens; `lag`: how long it may take to list what it has; a `lease` is
    longer than any call under it.
    """

    memory: timedelta = timedelta(hours=20)
    lag: timedelta = timedelta(seconds=60)
    lease: timedelta = timedelta(seconds=150)
    timeout: float = 20.0
    rate: float = 10.0  # calls a second
    first_delay: float = 2.0
    longest_delay: float = 900.0
    most_failures: int = 5
    rest: timedelta = timedelta(seconds=60)

    def delay(self, tries: int, rng: Random) -> timedelta:
        """A random delay up to a limit that doubles with each attempt (full jitter)."""
        return timedelta(seconds=rng.uniform(0, min(self.longest_delay, self.first_delay * 2 ** min(tries, 16))))


class MarketplacePaused(Exception):
    """The marketplace failed so often that it is not called for now."""


class MarketplaceSession(Generic[Kind]):
    """A run of calls to one marketplace: rate-limited, and ended if it fails too often."""

    def __init__(self, connection: Connection, *, patience: Patience) -> None:
        self.connection, self.patience = connection, patience
        self.marketplace = cast(Kind, open_marketplace(connection, timeout=patience.timeout))
        self.rng = Random(f"{connection.pk}/{time.time_ns()}")
        self.types: dict[Any, str] = {}  # ids of HIT types and qualifications, cached during this run
        self.seen: tuple[datetime, dict[str, str]] | None = None  # when all HITs there were listed; {annotation: id}
        self._pause, self._next = 1 / patience.rate, 0.0
        if Connection.objects.filter(pk=connection.pk, rests_until__gt=Now()).exists():
            raise MarketplacePaused

    def call(self, operation: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
        """Make one call. Raises the operation's errors, and MarketplacePaused after too many failures."""
        self._wait()
        try:
            result = operation(*arguments, **named)
        except TryAgain as failed:
            self._note(failed)
            raise
        except MarketplaceError:
            self._note(None)
            raise
        self._note(None)
        return result

    def _wait(self) -> None:
        now = time.monotonic()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(now, self._next) + self._pause  # from now after a rest: no burst makes up for it

    def _note(self, failed: TryAgain | None) -> None:
        rows = Connection.objects.filter(pk=self.connection.pk)
        if failed is None:
            if self.connection.failures:
                rows.update(failures=0, rests_until=None, trouble="")
                self.connection.failures = 0
            return
        if failed.throttled:
            self._pause = min(2 * self._pause, 10.0)
        rows.update(failures=F("failures") + 1, trouble=str(failed)[:1000])
        self.connection.refresh_from_db(fields=["failures"])
        if self.connection.failures >= self.patience.most_failures:
            rows.update(rests_until=Now() + self.patience.rest)
            raise MarketplacePaused from failed


def awake(concerned: QuerySet[Any]) -> QuerySet[Connection]:
    """The marketplaces among these, given by their keys, that do not rest after failures."""
    return Connection.objects.filter(pk__in=concerned).exclude(rests_until__gt=Now())


@contextmanager
def reached(connection: Connection) -> Iterator[None]:
    """Raise Refused where the marketplace does not answer."""
    try:
        yield
    except (MarketplaceError, Unsealable, MarketplacePaused) as failed:
        why = str(failed) or connection.trouble or _("several attempts failed; try again in a minute")
        raise Refused(_("The marketplace could not be reached: %(why)s") % {"why": why}) from None


HitSession = MarketplaceSession[HitMarketplace]
StudySession = MarketplaceSession[StudyMarketplace]


def open_marketplace(connection: Connection, *, timeout: float = 20.0) -> Marketplace:
    """The client for a connection. It avoids addresses in the internal network unless the settings allow them."""
    terms = {name: getattr(connection, name) for name in ("endpoint_url", "region", "key_id", "secret")}
    terms |= {"workers": connection.worker_origin, "options": tuple(connection.options.items())}
    endpoint = Endpoint(**terms, timeout=timeout, guarded=not _is_allowed(connection.endpoint_url))
    return kinds()[connection.kind](endpoint)


def _is_allowed(url: str) -> bool:
    """Whether a URL may be internal: our own, one in MARKETPLACE_HOSTS, or any on a local installation."""
    parts = urlsplit(url)
    named = {parts.netloc.lower(), (parts.hostname or "").lower()} & set(settings.MARKETPLACE_HOSTS)
    return bool(settings.LOCAL or named or origin_of(url) == origin_of(settings.PUBLIC_URL))


def installation_id(project: Project) -> str:
    """An id by which the project recognises its HITs on a marketplace; permanent and meaningless to others."""
    digest = hmac.new(project.pseudonym_key.encode(), b"hopscribe/installation", hashlib.sha256).hexdigest()
    return f"hopscribe-{digest[:16]}"


def presets() -> dict[str, dict[str, str]]:
    """Proposed values of each preset: {"endpoint_url", "worker_origin"}; empty if only the requester knows them."""
    here = {"endpoint_url": f"{settings.PUBLIC_URL}/mturk/", "worker_origin": origin_of(settings.PUBLIC_URL)}
    closed: dict[str, dict[str, str]] = {
        name: {"endpoint_url": url, "worker_origin": origin} for name, (url, origin) in AMAZON.items()
    }
    return {Connection.Preset.HERE: here, Connection.Preset.OTHER: {"endpoint_url": "", "worker_origin": ""}, **closed}


def add(
    project: Project,
    name: str,
    *,
    preset: str = Connection.Preset.OTHER,
    kind: str = "mturk",
    key_id: str = "",
    secret: str = "",
    options: dict[str, str] | None = None,
    **more: str,
) -> Connection:
    """Add a connection. `more`: endpoint_url, worker_origin, region, fees; the preset, or else the kind, has defaults.

    Raises Refused for an invalid URL or option, and for a name that is taken.
    """
    shape = kinds()[kind]
    given = {field: value.strip() for field, value in more.items() if value.strip()}
    if issubclass(shape, StudyMarketplace):
        settled = {"endpoint_url": shape.endpoint, "worker_origin": shape.worker_origin, "fees": shape.fees} | given
        _check_options(shape, options or {})
    else:
        settled = presets()[preset] | given
    settled["worker_origin"] = settled["worker_origin"].rstrip("/") or origin_of(settled["endpoint_url"]) or ""
    if shape.offers("balance"):
        _check_addresses(settled["endpoint_url"], settled["worker_origin"])
    own = {"kind": kind, "options": options or {}, "key_id": key_id.strip(), "secret": secret.strip()}
    try:
        with transaction.atomic():
            made = Connection.objects.create(project=project, name=name, preset=preset, **own, **settled)
            audit_log.record("made", made)
            return made
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        raise Refused(_("A marketplace with this name already exists. Choose another name.")) from None


def _check_options(shape: type[StudyMarketplace], options: dict[str, str]) -> None:
    known = ", ".join(shape.option_names) or "–"
    for name, value in options.items():
        if name not in shape.option_names:
            text = _("There is no option %(name)s here. There are: %(known)s.")
            raise Refused(text % {"name": name, "known": known})
        if name.startswith("return") and value and not origin_of(value.partition("?")[0]):
            raise Refused(
                _("%(name)s: give a full address, such as https://example.org/done?cc={code}.") % {"name": name}
            )


def _check_addresses(endpoint: str, workers: str) -> None:
    if not origin_of(endpoint):
        raise Refused(_("Give the full URL of the endpoint, such as https://example.org/mturk/."))
    if urlsplit(endpoint).scheme != "https" and not _is_allowed(endpoint):
        raise Refused(_("The endpoint must begin with https://."))
    if origin_of(workers) != workers.lower():
        raise Refused(_("Give only the scheme and host of the workers' pages: https://example.org."))


def remove(connection: Connection) -> None:
    """Remove a connection with its keys. Raises Refused while batches are published on it."""
    try:
        with transaction.atomic():
            audit_log.record("removed", connection)
            connection.delete()
    except ProtectedError:
        text = _("This marketplace has batches, so its keys are still needed to settle their payments.")
        raise Refused(text) from None


def check(connection: Connection) -> Funds:
    """Test connection and keys; returns the balance. Raises Refused with the problem."""
    refuse_closed(connection)
    try:
        return open_marketplace(connection, timeout=10.0).balance()
    except Unsealable as lost:
        raise Refused(str(lost)) from None
    except MarketplaceError as failed:
        raise Refused(_("The endpoint does not respond like a marketplace: %(why)s") % {"why": failed}) from None


def refuse_closed(connection: Connection) -> None:
    """Raise Refused for Amazon's marketplace, which is closed."""
    host = urlsplit(connection.endpoint_url).hostname or ""
    if connection.preset in AMAZON or host.endswith(".amazonaws.com"):
        raise Refused(
            _(
                "Amazon closed Mechanical Turk on 30 September 2026, so nothing can be launched there. "
                "Choose the built-in marketplace, or another one with the MTurk API."
            )
        )


def pays_twice(connection: Connection) -> bool:
    """Whether the keys belong to the publishing project itself, so that its budget would pay both sides."""
    return AccessKey.objects.filter(key_id=connection.key_id, project=connection.project_id).exists()
