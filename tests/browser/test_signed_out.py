"""A session that ends under somebody's hands: what they typed stands there again, and no click leads nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site

PASSWORD = "a-long-enough-secret"


@pytest.fixture
def boss(site: Site, visit: Callable[..., Any]) -> tuple[Any, dict[str, Any]]:
    """A requester's page and what it is about; they can sign in again."""
    batch = site.batch()
    person = site.ask("requester", batch=batch["batch"], password=PASSWORD)
    return visit(person["session"]), batch | person


def sign_in(page: Any, name: str) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_form_sent_after_the_session_ended_is_filled_again(boss: Any) -> None:
    page, about = boss
    address = f"/projects/{about['project']}/batches/new/"
    page.goto(address)
    page.get_by_label("Title shown").fill("A title of an hour's thought")
    page.locator("input[name=datasets]").first.check()
    page.locator("summary", has_text="More settings").click()
    page.locator("summary", has_text="Instructions for workers").click()
    page.get_by_label("Instructions", exact=True).fill("Read slowly.")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save as a draft").click()
    sign_in(page, about["name"])
    expect(page.get_by_label("Title shown")).to_have_value("A title of an hour's thought")
    expect(page.locator("input[name=datasets]").first).to_be_checked()
    expect(page.get_by_label("Instructions", exact=True)).to_have_value("Read slowly.")
    expect(page.get_by_text("Your input is here again")).to_be_visible()
    page.get_by_role("button", name="Save as a draft").click()
    expect(page.get_by_text("Saved as a draft")).to_be_visible()
    page.goto(address)  # and it is not kept for longer
    expect(page.get_by_label("Title shown")).not_to_have_value("A title of an hour's thought")


def test_a_form_is_filled_again_after_a_page_for_signing_in_whose_scripts_never_ran(boss: Any) -> None:
    page, about = boss
    page.goto(f"/projects/{about['project']}/settings/")
    page.get_by_label("Title").fill("A title of an hour's thought")
    page.context.clear_cookies(name="sessionid")
    page.route("**/*.js", lambda route: route.abort())
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Username").wait_for()
    page.unroute("**/*.js")
    sign_in(page, about["name"])
    expect(page.get_by_label("Title")).to_have_value("A title of an hour's thought")
    expect(page.get_by_text("Your input is here again")).to_be_visible()
    page.reload()  # and it is not kept for longer
    expect(page.get_by_label("Title")).not_to_have_value("A title of an hour's thought")


@pytest.mark.soak
def test_a_button_pressed_after_the_session_ended_leads_back_to_its_page(boss: Any) -> None:
    page, about = boss
    address = f"/projects/{about['project']}/batches/study/"
    page.goto(address)
    page.context.clear_cookies(name="sessionid")
    page.locator("summary", has_text="Actions").click()
    page.get_by_role("button", name="Pause").click()
    sign_in(page, about["name"])
    page.wait_for_url(f"**{address}")
    page.locator("summary", has_text="Actions").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.soak
def test_signing_in_again_in_another_tab_spoils_no_form(boss: Any) -> None:
    page, about = boss
    page.goto(f"/projects/{about['project']}/settings/")
    page.get_by_label("Title").fill("A better title")
    page.context.clear_cookies(name="sessionid")
    other = page.context.new_page()
    other.goto("/accounts/sign-in/")
    sign_in(other, about["name"])
    expect(other.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("A better title")


@pytest.mark.soak
def test_another_task_of_a_round_takes_along_what_was_typed(boss: Any) -> None:
    page, about = boss
    page.goto(f"/projects/{about['project']}/rounds/new/")
    page.get_by_label("Title shown").fill("Spring")
    page.locator("input[name=datasets]").first.check()
    instructions = page.get_by_label("Instructions", exact=True).input_value()
    page.get_by_text("Other tasks").click()
    task = page.get_by_role("link", name="Compose questions", exact=True)
    task.click()
    expect(task).to_have_attribute("aria-current", "page")
    expect(page.get_by_label("Title shown")).to_have_value("Spring")
    expect(page.locator("input[name=datasets]").first).to_be_checked()
    expect(page.get_by_label("Instructions", exact=True)).not_to_have_value(
        instructions
    )  # untouched, so it is the task's own


@pytest.mark.soak
def test_of_several_forms_to_one_address_the_one_that_was_sent_is_filled_again(boss: Any) -> None:
    page, about = boss
    page.goto(f"/projects/{about['project']}/datasets/records/items/0/edit/")
    page.get_by_text("All fields as JSON").click()
    whole = page.locator("textarea[name=content]")
    whole.fill('{"half": "typed')
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save the JSON").click()
    sign_in(page, about["name"])
    expect(page.get_by_text("Your input is here again")).to_be_visible()
    expect(whole).to_be_visible()
    expect(whole).to_have_value('{"half": "typed')


def test_somebody_else_of_the_same_name_gets_nothing_of_it(boss: Any, site: Site) -> None:
    page, about = boss
    other = site.ask("requester", batch=about["batch"], password=PASSWORD)
    page.goto(f"/projects/{about['project']}/settings/")
    page.get_by_label("Title").fill("Only hers to see")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save").click()
    sign_in(page, other["name"])
    expect(page.get_by_label("Title")).not_to_have_value("Only hers to see")
    expect(page.get_by_text("Your input is here again")).to_have_count(0)
