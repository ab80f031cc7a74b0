"""The emulator's pages: a participant's list of studies, the way into one and back, and the controls of a trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from html import escape
from http.cookies import CookieError, SimpleCookie
from string import punctuation
from urllib.parse import parse_qsl, quote

from prolific_emulator import participants, submissions
from prolific_emulator.world import Problem, Submission, World

HTML = "text/html; charset=utf-8"
COOKIE = "emulated_submission"
MOST_SENT = 500
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}}
.scroll{{overflow-x:auto}}table{{border-collapse:collapse;width:100%}}
td,th{{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ccc}}
form{{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.3rem 0}}
input,button{{font:inherit;padding:.3rem .6rem}}input[type=number]{{max-width:6rem}}input:not([type]){{width:15rem}}
td form{{margin:0}}td button{{padding:0 .6rem}}</style>
<h1>{title}</h1>{body}</html>"""


@dataclass(frozen=True)
class Shown:
    """A page or a redirect."""

    status: int
    body: str
    kind: str = HTML
    headers: dict[str, str] = field(default_factory=dict)


def page(title: str, body: str, status: int = 200) -> Shown:
    return Shown(status, PAGE.format(title=escape(title), body=body))


def redirect(url: str, **headers: str) -> Shown:
    return Shown(
        303,
        "",
        headers={
            "Location": quote(url, safe=punctuation),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )


def answer(world: World, method: str, path: str, query: dict[str, str], raw: bytes, cookie: str) -> Shown:
    """The page for a request; a refusal of the emulated service is shown as a page."""
    form = dict(parse_qsl(raw.decode(errors="replace")))
    try:
        mine = SimpleCookie(cookie).get(COOKIE)
        if (method, path) == ("GET", "/"):
            return _overview(world)
        if (method, path) == ("GET", "/submissions/complete"):
            return _complete(world, mine.value if mine else "", query.get("cc", ""))
        if (method, path) == ("POST", "/take-part"):
            return _take_part(world, form.get("study", ""), form.get("participant", ""))
        if (method, path) == ("POST", "/return"):
            return _return(world, form.get("submission", ""))
        if (method, path) == ("POST", "/turn-clock"):
            world.turn(timedelta(minutes=float(form.get("minutes", "0"))))
            return redirect("/")
        if (method, path) == ("POST", "/send-participants"):
            participants.send(world, form.get("study", ""), min(int(form.get("number", "1")), MOST_SENT))
            return redirect("/")
    except (Problem, ValueError, OverflowError, CookieError) as refused:
        return page("Not possible", f"<p>{escape(str(refused))}</p><p><a href='/'>Back</a></p>", 400)
    return page("Not found", "<p><a href='/'>All studies</a></p>", 404)


def _overview(world: World) -> Shown:
    with world.lock:
        submissions.act_on_time(world)
        blocks = "".join(_study(world, name) for name in reversed(list(world.studies)))
        now = world.now()
    clock = (
        f"<p>The clock says {now:%Y-%m-%d %H:%M:%S} UTC.</p><form method='post' action='/turn-clock'>"
        "<label>Turn it forward by <input name='minutes' type='number' value='60' min='0'> minutes</label>"
        "<button>Turn</button></form>"
    )
    return page("Emulated Prolific", (blocks or "<p>No studies yet.</p>") + "<h2>Time</h2>" + clock)


def _study(world: World, name: str) -> str:
    study, rows = world.studies[name], world.of_study(name)
    taken = f"{world.places_taken(name)} of {study['total_available_places']:.0f} places"
    pay = f"{study['reward'] / 100:.2f} {world.currency} for {study['estimated_completion_time']:.0f} min"
    hidden = f"<input type='hidden' name='study' value='{escape(name)}'>"
    forms = (
        f"<form method='post' action='/take-part'>{hidden}<label>Take part as <input name='participant' "
        f"value='{world.seed:04x}a{len(rows):019x}'></label><button>Take part</button></form>"
        f"<form method='post' action='/send-participants'>{hidden}<label>Send <input name='number' type='number' "
        f"value='5' min='1' max='{MOST_SENT}'> simulated participants</label><button>Send</button></form>"
    )
    lines = "".join(
        f"<tr><td>{escape(one.participant)}</td><td>{one.status}</td><td>{escape(one.code or '')}</td>"
        f"<td>{', '.join(f'{cents / 100:.2f}' for cents in one.bonuses)}</td><td>{_return_button(one)}</td></tr>"
        for one in rows
    )
    head = "<tr><th>Participant</th><th>Status</th><th>Code</th><th>Bonuses</th><th></th></tr>"
    table = f"<div class='scroll'><table>{head}{lines}</table></div>" if rows else ""
    return f"<h2 id='study-{name}'>{escape(study['name'])}</h2><p>{study['status']}, {taken}, {pay}.</p>{forms}{table}"


def _return_button(one: Submission) -> str:
    if one.status not in {"RESERVED", "ACTIVE", "AWAITING REVIEW"}:
        return ""
    hidden = f"<input type='hidden' name='submission' value='{one.id}'>"
    return f"<form method='post' action='/return'>{hidden}<button>Return</button></form>"


def _take_part(world: World, study: str, participant: str) -> Shown:
    with world.lock:
        if study not in world.studies:
            raise Problem(404, "There is no such study.")
        mine = [one for one in world.of_study(study) if one.participant == participant and one.status == "ACTIVE"]
        one = mine[0] if mine else submissions.reserve(world, world.studies[study], participant)
        url = submissions.start(world, one)
    return redirect(url, Set_Cookie=f"{COOKIE}={one.id}; Path=/; SameSite=Lax; HttpOnly")


def _complete(world: World, name: str, code: str) -> Shown:
    with world.lock:
        one = world.submissions.get(name)
        if one is None:
            raise Problem(400, "This browser has not taken part in a study.")
        if one.code != code:
            submissions.complete(world, one, code)
        status = one.status
    return page(
        "Thank you", f"<p>Your submission is {status}. Code: {escape(code)}</p><p><a href='/'>All studies</a></p>"
    )


def _return(world: World, name: str) -> Shown:
    with world.lock:
        submissions.return_(world, world.find("submission", name))
    return redirect("/")
