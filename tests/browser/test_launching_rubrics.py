"""A requester makes a batch of ratings: a rubric is built by keys, or corrected as text, uploaded and used again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.desk import settle
from tests.browser.rated import SAME
from tests.browser.site import Site

YAML = "show: [question]\ncriteria:\n  - {name: fine, ask: Is it fine, choice: [yes, no]}\n"


def test_a_rubric_is_pasted_corrected_uploaded_and_previewed(site: Site, visit: Callable[..., Any]) -> None:
    batch = site.batch("rated", options={"rubric": SAME}, task="rate")
    page = visit(site.ask("requester", batch=batch["batch"])["session"])
    page.goto(f"/projects/{batch['project']}/batches/new/")
    page.locator("input[name=datasets]").first.check()
    page.get_by_label("Title shown").fill("Ratings")
    page.locator("input[name=task][value=rate]").check()
    rubric = page.locator("#id_option-rubric")
    page.get_by_text("As text", exact=True).click()
    expect(rubric).to_be_visible()
    rubric.fill(json.dumps(SAME | {"show": ["nothing"]}))
    rubric.blur()
    expect(page.locator("#id_option-rubric_error")).to_contain_text("show[0]: Items have no field “nothing”")
    page.locator("#id_option-rubric-file").set_input_files(
        {"name": "rubric.yaml", "mimeType": "text/yaml", "buffer": YAML.encode()}
    )
    expect(rubric).to_have_value(YAML)
    expect(page.locator("#id_option-rubric_error")).to_have_text("")
    page.get_by_text("Preset, earlier batch or file").click()
    page.locator("#id_again").select_option("study")
    expect(rubric).to_have_value(json.dumps(SAME, ensure_ascii=False, indent=1))
    expect(page.locator("#consequences")).to_contain_text("The rubric shows “answer”")
    page.get_by_role("button", name="Preview items").click()
    page.wait_for_url("**/preview/**")
    expect(page.locator("legend").first).to_contain_text("Does the candidate mean the same?")


def test_a_rubric_is_built_by_keys_alone_launched_and_rated(site: Site, visit: Callable[..., Any]) -> None:
    """Four criteria, which take somebody who types on about a minute."""
    batch = site.batch("rated", options={"rubric": SAME}, task="rate")
    page = visit(site.ask("requester", batch=batch["batch"])["session"])
    page.goto(f"/projects/{batch['project']}/batches/new/")
    expect(page.locator("input[name=datasets]")).to_be_checked()
    page.get_by_label("Title shown").fill("By keys")
    page.locator("input[name=task][value=rate]").focus()
    keys(page, "Space")
    item = page.frame_locator("#first-item iframe")

    type_four_criteria(page, item)
    expect(item.get_by_text("Which passages matter?").first).to_be_visible()
    page.get_by_role("button", name="Launch").focus()
    keys(page, "Enter")
    page.wait_for_url("**/jobs/**")
    site.ask("work_off")
    page.wait_for_url(f"**/projects/{batch['project']}/batches/by-keys/")
    launched = site.ask("launched", project=batch["project"], name="by-keys")
    rubric = launched["options"]["rubric"]
    assert rubric["show"] == ["question", "paragraphs"]
    assert [each["name"] for each in rubric["criteria"]] == [
        "is_it_faithful", "is_it_fluent", "which_passages_matter", "why_is_it_not",
    ]  # fmt: skip
    assert rubric["criteria"][3]["if"] == {"is_it_fluent": ["no"]}
    rate(site, visit, launched["batch"])


def type_four_criteria(page: Any, item: Any) -> None:
    """A scale, a choice with a mistake on the way, a text asked under a condition, and choices moved before it."""
    add(page, 0, "Is it faithful?", "Scale")
    tab_to(page, "rubric-0-labels")
    page.keyboard.type("not at all\nfully")
    add(page, 1, "Is it fluent?", "One of several")
    tab_to(page, "rubric-1-value")
    keys(page, "Control+a")
    page.keyboard.type("yes\nno\nno")
    expect(page.locator("#rubric-1-value-problem")).to_have_text("“no” stands twice.")
    keys(page, "Backspace", "Backspace")
    page.keyboard.type("partly")
    expect(page.locator("#rubric-1-value-problem")).to_have_text("")
    expect(item.get_by_text("partly").first).to_be_visible()
    add(page, 2, "Why is it not?", "Text")
    tab_to(page, "rubric-2-value")
    more = page.locator(".criterion[open] .rest > summary")
    more.focus()
    keys(page, "Enter")
    condition = page.locator("#rubric-2-if").get_by_label("no", exact=True)
    condition.focus()
    keys(page, "Space")
    add(page, 3, "Which passages matter?", "Any of several")
    tab_to(page, "rubric-3-value")
    page.keyboard.type("first\nsecond")
    tab_to(page, "rubric-criteria-3-up")
    keys(page, "Enter")
    expect(page.locator("#rubric-criteria-2-up")).to_be_focused()
    expect(page.locator("#rubric-2-line")).to_contain_text("Which passages matter?")


def keys(page: Any, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


def tab_to(page: Any, name: str) -> None:
    """Go there by Tab alone."""
    for _step in range(40):
        if page.evaluate("document.activeElement.id") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")


def add(page: Any, k: int, ask: str, kind: str) -> None:
    """Add a criterion; the focus is in its question."""
    button = page.get_by_role("button", name="Add a criterion")
    button.focus()
    keys(page, "Enter")
    expect(page.locator(f"#rubric-{k}-ask")).to_be_focused()
    page.keyboard.type(ask)
    keys(page, "Tab")
    select = page.locator(f"#rubric-{k}-kind")
    expect(select).to_be_focused()
    page.keyboard.type(kind.split()[0])  # a space would open the list
    expect(page.locator(f"#rubric-{k}-line")).to_contain_text(kind)
    expect(page.locator(f"#rubric-{k}-kind")).to_be_focused()


def rate(site: Site, visit: Callable[..., Any], batch: int) -> None:
    """A worker rates the first item by keys."""
    person = site.ask("person", batch=batch)
    page = visit(person["session"])
    page.goto(f"/assignments/{person['assignment']}/")
    expect(page.locator(".criterion[data-now]")).to_contain_text("Is it faithful?")
    for key in ("4", "1"):
        settle(page)
        keys(page, key)
    expect(page.locator(".criterion[data-now]")).to_contain_text("Which passages matter?")
    settle(page)
    keys(page, "1")
    settle(page)
    with page.expect_response("**/submit/"), page.expect_navigation():
        keys(page, "Control+Enter")
    [response] = site.ask("answers", batch=batch)
    given = {"is_it_faithful": 4, "is_it_fluent": "yes", "which_passages_matter": ["first"]}
    assert response["answer"] == given | {"why_is_it_not": None}, "it was not asked"
