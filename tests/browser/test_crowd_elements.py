"""Templates of Crowd HTML Elements in a browser: what they send is what Amazon's own elements sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.pure.test_mturk_xml import html

SCRIPT = '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>'
FIELDS = """<crowd-form><crowd-instructions link-text="How to"><short-summary><p>Read, then type.</p></short-summary>
</crowd-instructions><crowd-input name="town" label="Town" required></crowd-input>
<crowd-text-area name="why" label="Why" rows="2">because</crowd-text-area>
<crowd-checkbox name="colour" value="red">Red</crowd-checkbox>
<crowd-checkbox name="colour" value="blue">Blue</crowd-checkbox>
<crowd-checkbox name="sure">Sure</crowd-checkbox>
<crowd-radio-group><crowd-radio-button name="yes" value="yes">Yes</crowd-radio-button>
<crowd-radio-button name="no" value="no">No</crowd-radio-button></crowd-radio-group>
<select name="size"><option>small<option>large</select><textarea name="note">plain</textarea>
<input type="hidden" name="assignmentId" value=""></crowd-form>"""
CLASSIFIER = """<crowd-form answer-format="flatten-objects"><crowd-classifier name="mood"
categories="['Glad', 'Sad']" header="Which mood?"><classification-target>What a day!</classification-target>
<full-instructions header="All of it">Look.</full-instructions></crowd-classifier>
<crowd-button form-action="submit">Send it</crowd-button></crowd-form>"""
ENTITIES = """<crowd-form><crowd-entity-annotation name="names" header="Mark names" text="Ana met Bo in Tolmouth"
labels='[{"label": "person", "fullDisplayName": "Person"}, {"label": "place"}]'>
</crowd-entity-annotation></crowd-form>"""
SCRIPTED = """<crowd-form id="all"><crowd-input id="town" name="town" label="Town"></crowd-input></crowd-form><script>
document.getElementById("all").onsubmit = (event) => { const town = document.getElementById("town");
if (!town.value) { event.preventDefault(); town.value = "filled by a script"; } };</script>"""


def fields(site: Site, batch: int) -> dict[str, str]:
    [row] = site.ask("answers", batch=batch)
    return dict(row["answer"]["fields"])


def begun(visit: Callable[..., Any], site: Site, form: str) -> tuple[Any, Any, dict[str, Any]]:
    """The worker's page of an accepted HIT, the frame in it, and what was listed."""
    hits = site.ask("strange_hits", questions=[html(f"<!doctype html>{SCRIPT}<body>{form}</body>")])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    page.get_by_role("button", name="Accept", exact=True).click()
    return page, page.frame_locator("iframe"), hits


def is_stored(page: Any) -> None:
    expect(page.get_by_text("Submitted. The requester has your answer")).to_be_visible()


@pytest.mark.soak
def test_the_fields_of_a_crowd_form_are_sent_as_task_answers(visit: Callable[..., Any], site: Site) -> None:
    page, frame, hits = begun(visit, site, FIELDS)
    frame.get_by_text("How to").click()
    expect(frame.get_by_text("Read, then type.")).to_be_visible()
    frame.get_by_role("button", name="Submit").click()  # the town is missing, and so is one of two
    frame.get_by_label("Town").fill("Zürich")
    frame.get_by_label("Blue").check()
    frame.get_by_label("No", exact=True).check()
    frame.get_by_role("combobox").select_option("large")
    frame.get_by_role("button", name="Submit").press("Enter")
    is_stored(page)
    stored = fields(site, hits["batch"])
    assert set(stored) == {"taskAnswers"}
    assert json.loads(stored["taskAnswers"]) == [
        {
            "town": "Zürich",
            "why": "because",
            "colour": {"red": False, "blue": True},
            "sure": {"on": False},
            "yes": {"yes": False},
            "no": {"no": True},
            "size": "large",
            "note": "plain",
        }
    ]


@pytest.mark.soak
def test_a_classifier_is_answered_by_keys_and_flattened_where_the_form_says_so(
    visit: Callable[..., Any], site: Site
) -> None:
    page, frame, hits = begun(visit, site, CLASSIFIER)
    expect(frame.get_by_text("What a day!")).to_be_visible()
    frame.get_by_label("Glad").focus()
    page.keyboard.press("ArrowDown")
    expect(frame.get_by_label("Sad")).to_be_checked()
    frame.get_by_role("button", name="Send it").click()
    is_stored(page)
    assert fields(site, hits["batch"]) == {"mood.label": "Sad"}


def test_entities_are_marked_in_a_text(visit: Callable[..., Any], site: Site) -> None:
    page, frame, hits = begun(visit, site, ENTITIES)
    for start, end, label in ((14, 22, "place"), (0, 3, "place"), (0, 3, "Person")):
        frame.locator(".crowd-text").evaluate(
            """(text, [start, end]) => { const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            const range = document.createRange(); let at = 0, node;
            while ((node = walk.nextNode())) { const next = at + node.length;
              if (at <= start && start < next) range.setStart(node, start - at);
              if (at < end && end <= next) range.setEnd(node, end - at); at = next; }
            getSelection().removeAllRanges(); getSelection().addRange(range); }""",
            [start, end],
        )
        frame.get_by_role("button", name=label, exact=True).click()
    expect(frame.locator("mark")).to_have_count(2)
    frame.get_by_role("button", name="Submit").click()
    is_stored(page)
    assert json.loads(fields(site, hits["batch"])["taskAnswers"]) == [
        {
            "names": {
                "entities": [
                    {"startOffset": 0, "endOffset": 3, "label": "person"},
                    {"startOffset": 14, "endOffset": 22, "label": "place"},
                ]
            }
        }
    ]


@pytest.mark.soak
def test_a_script_may_hold_the_form_back_and_fill_it(visit: Callable[..., Any], site: Site) -> None:
    page, frame, hits = begun(visit, site, SCRIPTED)
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_label("Town")).to_have_value("filled by a script")
    frame.get_by_role("button", name="Submit").click()
    is_stored(page)
    assert json.loads(fields(site, hits["batch"])["taskAnswers"]) == [{"town": "filled by a script"}]
