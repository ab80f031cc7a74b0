"""The rehearsal itself: simulated people discover, accept, answer, return and abandon through the product's pages.

Time is played: events stand in order of their own clock, and what is stored is dated back by what it took. So an
afternoon takes a minute, and leases are over when they are over in the play.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Sum
from django.db.models.functions import Now

from annotation.flow import assigning, practising
from annotation.models import Assignment, Batch, User, Worker
from annotation.pure import lifecycle, rehearsing
from annotation.pure.rehearsing import Crowd, Persona
from annotation.registry import form_class, task_type
from annotation.rehearsal.browsing import Browser, FormPage, Refused
from annotation.views.frame import shown_payload
from annotation.views.practice import exercise_shown

LOOKS_AGAIN = 1800.0  # seconds after which somebody who found nothing looks once more
MOST_LOOKS = 3
MOST_PAGES = 40  # on the way to an assignment: guide, practice, feedback


@dataclass
class Player:
    """A simulated person with a browser; `page` is the assignment that they were led on to."""

    number: int
    persona: Persona
    worker: Worker
    browser: Browser[FormPage]
    looks: int = 0
    page: FormPage | None = None


@dataclass
class Play:
    """One rehearsal under way; `times` is {assignment: (began, ended)} by the play's clock."""

    batch: Batch
    crowd: Crowd
    rng: Random
    players: list[Player]
    times: dict[int, tuple[float, float]] = field(default_factory=dict)
    returned: int = 0
    abandoned: int = 0
    refused: int = 0


def players(batch: Batch, base: str, personas: Sequence[Persona]) -> list[Player]:
    """The people, with accounts in the copy, consent given, and a session each."""
    found = []
    for number, persona in enumerate(personas):
        user = User.objects.create_user(f"rehearsal-{number}", password=None)
        version = batch.project.consent_version
        worker = Worker.objects.create(project=batch.project, user=user, consented_version=version, consented_at=Now())
        found.append(Player(number, persona, worker, Browser(base, read=FormPage, session=_session(user))))
    return found


def _session(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def play(play: Play, tell: Callable[[int, int], None]) -> None:
    """Let everybody work until nothing is left for them, or they stop."""
    asked = asked_of(play.batch)
    events = [(player.persona.comes, player.number) for player in play.players]
    leases: list[tuple[float, int]] = []
    heapq.heapify(events)
    while events:
        now, number = heapq.heappop(events)
        while leases and leases[0][0] <= now:
            _lapse(heapq.heappop(leases)[1])
        after = _turn(play, play.players[number], now, leases)
        if after is not None:
            heapq.heappush(events, (after, number))
        tell(min(len(play.times), asked), asked)


def asked_of(batch: Batch) -> int:
    """How many answers the copy asks for."""
    return batch.hits.filter(check_item=False).aggregate(n=Sum("wanted"))["n"] or 0


def _turn(play: Play, player: Player, now: float, leases: list[tuple[float, int]]) -> float | None:
    """One assignment of one player; when they come again, or None when they are gone."""
    page = player.page or _walk(play, player, player.browser.open("/work/"))
    player.page = None
    if "/assignments/" not in page.path:
        player.looks += 1
        return now + LOOKS_AGAIN if player.looks < MOST_LOOKS else None
    row = _row(page)
    expected = task_type(play.batch.task).seconds(row.hit.payload) or play.batch.expected_seconds
    ended = now + rehearsing.seconds(player.persona, expected, play.rng)
    wish = rehearsing.act(play.crowd, play.rng)
    if wish == rehearsing.ABANDON:
        play.abandoned += 1
        heapq.heappush(leases, (now + play.batch.lease_seconds, row.pk))
        return None
    if wish == rehearsing.RETURN:
        play.returned += 1
        _give_back(player, page)
        return now + (ended - now) / 3
    if not _answer(play, player, page, row, took=ended - now):
        return ended
    play.times[row.pk] = (now, ended)
    if not rehearsing.stops(play.crowd, play.rng):
        return ended
    if player.page is not None:
        _give_back(player, player.page)
    return None


def _row(page: FormPage) -> Assignment:
    public_id = page.path.split("/assignments/")[1].split("/")[0]
    return Assignment.objects.select_related("hit__item", "batch").get(public_id=public_id)


def _lapse(pk: int) -> None:
    """Let the lease of what was abandoned be over, as the clock would."""
    Assignment.objects.filter(pk=pk, state=lifecycle.ACCEPTED).update(lease_until=Now() - timedelta(seconds=1))
    assigning.expire_due()


def _walk(play: Play, player: Player, page: FormPage) -> FormPage:
    """From the list of work to an assignment, by way of guide, practice and feedback; else the page that ends it."""
    try:
        page = player.browser.post(*page.form(f"/work/batches/{play.batch.pk}/start/"))
    except LookupError:
        return page
    for _page in range(MOST_PAGES):
        if "/assignments/" in page.path or page.path.endswith("/done/"):
            return page
        if exercise := re.search(r"/practice/([0-9]+)/$", page.path):
            page = _practise(play, player, page, int(exercise[1]))
        else:
            page = player.browser.post(*page.form(page.path))
    return page


def _practise(play: Play, player: Player, page: FormPage, number: int) -> FormPage:
    exercise = practising.exercises(play.batch)[number - 1]
    answer = task_type(play.batch.task).imitate(exercise.payload, exercise.example, play.rng, right=True)
    shown = exercise_shown(play.batch, player.worker, exercise)
    url, hidden = page.form(page.path)
    page = player.browser.post(url, hidden | form_class(play.batch.task)(shown).posted(answer))
    return player.browser.post(*page.form("/done/"))


def _answer(play: Play, player: Player, page: FormPage, row: Assignment, *, took: float) -> bool:
    """Answer and submit; False, and the HIT returned, where the page does not take what the imitation says."""
    right = play.rng.random() < player.persona.skill
    answer = task_type(row.batch.task).imitate(row.hit.payload, row.hit.item.example, play.rng, right=right)
    Assignment.objects.filter(pk=row.pk).update(accepted_at=Now() - timedelta(seconds=took))
    url, hidden = page.form("/submit/")
    fields = form_class(row.batch.task)(shown_payload(row)).posted(answer or {})
    try:
        came = player.browser.post(url, hidden | fields | {"active_seconds": f"{took:.1f}"})
    except Refused as refusal:
        if refusal.code != 422:
            raise
        play.refused += 1
        _give_back(player, page)
        return False
    player.page = came if _is_to_answer(came) else None
    return True


def _is_to_answer(page: FormPage) -> bool:
    """Whether the product went on to the next assignment by itself."""
    return "/assignments/" in page.path and _row(page).state == lifecycle.ACCEPTED


def _give_back(player: Player, page: FormPage) -> None:
    player.browser.post(*page.form("/return/"))
