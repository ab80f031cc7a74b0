"""Forms that people wrote into HTMLQuestions, in a browser: each sends its answer, from a frame that has no origin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.pure.test_mturk_xml import html

MTURK = "https://www.mturk.com/mturk/externalSubmit"
TOWN = '<label>Town <input name="town"></label>'
HIDDEN = '<input type="hidden" name="assignmentId" id="assignmentId" value="">'
SEND = "<button>Send</button>"
ASKED = "const asked = new URLSearchParams(location.search);"
# What jsPsych's submitToTurk does: a form with the id in its address (7 and 8), a plain address (6).
BY_SCRIPT = f"""<p>{TOWN}</p><button onclick="send()">Send</button><script>{ASKED} function send() {{
  const form = document.createElement("form");
  form.method = "POST";
  form.action = asked.get("turkSubmitTo") + "/mturk/externalSubmit?assignmentId=" + asked.get("assignmentId");
  const field = form.appendChild(document.createElement("input"));
  field.name = "town"; field.value = document.querySelector("[name=town]").value;
  document.body.appendChild(form); form.submit(); }}</script>"""
BY_ADDRESS = f"""{TOWN}<button onclick="send()">Send</button><script>{ASKED} function send() {{
  location.href = asked.get("turkSubmitTo") + "/mturk/externalSubmit?town=" +
    escape(document.querySelector("[name=town]").value) + "&assignmentId=" + asked.get("assignmentId"); }}</script>"""
FORMS = {
    "the usual one, filled by a script": f"""<form method="post" action="{MTURK}">{HIDDEN}{TOWN}{SEND}</form><script>
        {ASKED} document.getElementById("assignmentId").value = asked.get("assignmentId");</script>""",
    "without anybody who fills the id in": f'<form method="post" action="{MTURK}">{HIDDEN}{TOWN}{SEND}</form>',
    "without a field for the id": f'<form method="post" action="{MTURK}">{TOWN}{SEND}</form>',
    "for the whole window": f'<form method="post" action="{MTURK}" target="_top">{TOWN}{SEND}</form>',
    "for the window around": f'<base target="_parent"><form method="post" action="{MTURK}">{TOWN}{SEND}</form>',
    "by GET": f'<form action="{MTURK}">{HIDDEN}{TOWN}{SEND}</form>',
    "without an address": f'<form method="post">{TOWN}{SEND}</form>',
    "without an address, by GET": f"<form>{TOWN}{SEND}</form>",
    "with the address on its button": f'<form method="post">{TOWN}<button formaction="{MTURK}">Send</button></form>',
    "with files": f'<form method="post" enctype="multipart/form-data" action="{MTURK}">{TOWN}{SEND}</form>',
    "sent by a script": f"""<form method="post" action="{MTURK}" id="mine">{TOWN}<button type="button"
        onclick="document.getElementById('mine').submit()">Send</button></form>""",
    "with a field named submit": f"""<form method="post" action="{MTURK}">{TOWN}<input type="submit" name="submit"
        value="Send"></form>""",
    "made by a script, the id in its address": BY_SCRIPT,
    "no form at all, but an address": BY_ADDRESS,
}
LOOKING = """<!doctype html><html lang="de" class="own"><head><title>Looks</title></head><body><p></p><script>
localStorage.setItem("a", "1"); localStorage.b = 2; sessionStorage.setItem("c", "3"); delete localStorage.nothing;
document.cookie = "town=Tolmouth; path=/"; document.cookie = "gone=1"; document.cookie = "gone=; max-age=0";
document.querySelector("p").textContent = [localStorage.a, localStorage.getItem("b"), localStorage.length,
  "b" in localStorage, Object.keys(localStorage), sessionStorage.c, localStorage.none === undefined,
  document.cookie, document.compatMode, document.documentElement.lang].join(" ");</script></body></html>"""


def test_a_form_of_any_kind_sends_its_answer(visit: Callable[..., Any], site: Site) -> None:
    questions = [html(f"<!doctype html><title>T</title>{form}") for form in FORMS.values()]
    hits = site.ask("strange_hits", questions=questions)
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    page.get_by_role("button", name="Accept", exact=True).click()
    frame = page.frame_locator("iframe")
    for number, kind in enumerate(FORMS):
        town = f"Zürich & +{number} 北"
        frame.get_by_label("Town").fill(town)
        frame.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Submitted. The requester has your answer"), kind).to_be_visible()
        fields = {str(row["answer"]["fields"]) for row in site.ask("answers", batch=hits["batch"])}
        assert any(town in text for text in fields), f"{kind}: {fields}"
        if number + 1 < len(FORMS):
            page.get_by_role("button", name="Next item").click()
    stored = [row["answer"]["fields"] for row in site.ask("answers", batch=hits["batch"])]
    assert [fields[0][0] for fields in stored] == ["town"] * len(FORMS)


@pytest.mark.soak
def test_a_preview_of_a_form_says_that_it_is_one(visit: Callable[..., Any], site: Site) -> None:
    hits = site.ask("strange_hits", questions=[html(FORMS["for the whole window"])])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("heading", name="Only a preview")).to_be_visible()


@pytest.mark.soak
def test_a_form_that_its_own_script_handles_is_left_to_it(visit: Callable[..., Any], site: Site) -> None:
    asked = f"""<form onsubmit="event.preventDefault(); this.hidden = true">{TOWN}{SEND}</form>
        <form method="post" action="{MTURK}"><input type="hidden" name="x" value="1"><button>Finish</button></form>"""
    hits = site.ask("strange_hits", questions=[html(asked)])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    page.get_by_role("button", name="Accept", exact=True).click()
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_label("Town")).to_be_hidden()
    frame.get_by_role("button", name="Finish").click()
    expect(page.get_by_text("Submitted. The requester has your answer")).to_be_visible()
    assert site.ask("answers", batch=hits["batch"])[0]["answer"]["fields"] == [["x", "1"]]


def test_scripts_that_look_for_storage_find_a_memory_of_their_own(visit: Callable[..., Any], site: Site) -> None:
    hits = site.ask("strange_hits", questions=[html(LOOKING)])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    result = "1 2 2 true a,b 3 true town=Tolmouth CSS1Compat de"
    expect(page.frame_locator("iframe").locator("p")).to_have_text(result)
