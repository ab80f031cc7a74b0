"""A participant on a phone: by a link, without an account, to the code that takes them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.test_accessibility import broken
from tests.browser.test_framed import answer
from tests.browser.test_small_screens import PHONE, overflow


def test_a_participant_finishes_a_visit_on_a_phone_and_goes_on_on_another_device(
    visit: Callable[..., Any], site: Site
) -> None:
    batch = site.batch("demo", sample=2)
    link = f"{site.url}{site.ask('study', batch=batch['batch'], hits=2)}?PID=ann&SID=first"
    phone = visit(**PHONE)
    phone.goto(link)
    assert overflow(phone) == 0
    assert broken(phone) == []
    phone.get_by_role("link", name="Read how your responses are used").tap()
    phone.get_by_role("button", name="I agree").tap()
    phone.get_by_role("button", name="Begin").tap()
    phone.get_by_role("button", name="Continue to the practice").tap()
    for number in (1, 2, 3):
        expect(phone.get_by_text(f"{number} of 3", exact=True)).to_be_visible()
        answer(phone)
        phone.get_by_role("button", name="Check my answer").tap()
        phone.get_by_role("button", name="Continue").tap()
    expect(phone.get_by_text("1 of 2", exact=True)).to_be_visible()
    answer(phone)
    phone.get_by_role("button", name="Submit").tap()
    expect(phone.get_by_text("2 of 2", exact=True)).to_be_visible()

    other = visit(viewport={"width": 1280, "height": 900})
    other.goto(link)
    expect(other.get_by_role("heading", name="1 of 2 done")).to_be_visible()
    other.get_by_role("button", name="Continue").click()
    answer(other)
    other.get_by_role("button", name="Submit").click()
    expect(other.get_by_role("heading", name="All done. Thank you!")).to_be_visible()

    phone.goto(link)
    expect(phone.get_by_role("heading", name="All done. Thank you!")).to_be_visible()
    assert overflow(phone) == 0
    assert broken(phone) == []
    code = phone.locator("#code").inner_text()
    back = phone.get_by_role("link", name="Go back and finish").get_attribute("href")
    assert back == f"https://panel.example/done?cc={code}&p=ann"
    assert len(site.ask("answers", batch=batch["batch"])) == 2


@pytest.mark.soak
@pytest.mark.parametrize("width", [1280, 390])
def test_the_button_beside_the_places_of_a_study_stands_by_its_field(
    visit: Callable[..., Any], site: Site, width: int
) -> None:
    batch = site.batch("demo", sample=2)
    site.ask("study", batch=batch["batch"], hits=2)
    page = visit(site.ask("requester", batch=batch["batch"])["session"], viewport={"width": width, "height": 844})
    page.goto(f"/projects/{batch['project']}/batches/study/marketplace/")
    button, field = page.get_by_role("button", name="Raise").bounding_box(), page.locator("#id_places").bounding_box()
    assert min(button["height"], button["width"]) >= 24
    assert abs(button["y"] + button["height"] / 2 - field["y"] - field["height"] / 2) <= 2
    assert overflow(page) == 0
