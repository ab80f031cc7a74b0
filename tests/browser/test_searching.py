"""Search over the paragraphs: ranking, lights, filters, orders, folding and hiding."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.test_small_screens import overflow

WorkPage = Callable[..., Desk]
LIT = "(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString())"


def shown(seat: Desk) -> list[int]:
    """Positions of the visible paragraphs from top to bottom."""
    result = seat.page.locator("#paragraphs > [data-paragraph]:visible").evaluate_all(
        "all => all.map((e) => Number(e.dataset.paragraph))"
    )
    return list(result)


@pytest.fixture
def seat(desk: WorkPage) -> Desk:
    return desk("demo", sample=1)


def title_of(seat: Desk, position: int) -> str:
    return str(seat.page.locator(f"#title-{position}").text_content()).strip()


def test_the_best_match_comes_first_and_small_slips_are_forgiven(seat: Desk) -> None:
    count = len(seat.texts())
    for position in (0, 4, count - 1):
        title = title_of(seat, position)
        for query in (title, title[:-1], title[:2] + title[3:]):
            seat.search(query)
            assert shown(seat)[0] == position, query
    seat.search("")
    assert shown(seat) == list(range(count))


@pytest.mark.soak
def test_matches_are_lit_and_walked_through_with_enter(seat: Desk) -> None:
    seat.search(title_of(seat, 3).split()[-1])
    lit = seat.page.evaluate(LIT, "match")
    assert len(lit) >= 1
    seen = []
    for _ in range(len(lit)):
        seat.page.keyboard.press("Enter")
        seen.append(seat.page.evaluate(LIT, "match-here"))
    assert [each for here in seen for each in here] == lit
    seat.page.keyboard.press("Shift+Enter")
    expected = seen[-2] if len(seen) > 1 else seen[-1]
    assert seat.page.evaluate(LIT, "match-here") == expected
    expect(seat.page.locator("#search")).to_be_focused()


@pytest.mark.soak
def test_only_matching_or_only_ticked_ones_can_be_shown(seat: Desk) -> None:
    seat.search(title_of(seat, 5))
    status = seat.page.locator("#search-result").text_content()
    matching = int(re.search(r"(\d+) of \d+", status)[1])
    seat.page.locator("#filter").select_option("matching")
    assert len(shown(seat)) == matching < len(seat.texts())
    seat.page.locator("#filter").select_option("ticked")
    expect(seat.page.locator("#nothing")).to_be_visible()
    seat.page.locator("#show-all").click()
    seat.tick(2)
    seat.tick(7)
    seat.page.locator("#filter").select_option("ticked")
    assert sorted(shown(seat)) == [2, 7]


@pytest.mark.soak
def test_the_order_as_shown_can_be_had_back(seat: Desk) -> None:
    seat.search(title_of(seat, 6))
    assert shown(seat)[0] == 6
    seat.page.locator("#sort").select_option("original")
    assert shown(seat) == list(range(len(seat.texts())))


@pytest.mark.soak
def test_ticked_ones_can_be_pinned_on_top(seat: Desk) -> None:
    seat.tick(4)
    seat.tick(8)
    seat.page.locator("#pin").click()
    assert shown(seat)[:2] == [4, 8]


@pytest.mark.soak
def test_paragraphs_are_folded_hidden_and_brought_back(seat: Desk) -> None:
    count = len(seat.texts())
    seat.page.locator("#paragraph-1 [data-fold]").click()
    expect(seat.page.locator("#text-1")).to_be_hidden()
    expect(seat.page.locator("#paragraph-1 [data-fold]")).to_have_attribute("aria-expanded", "false")
    seat.page.locator("#paragraph-2 [data-hide]").click()
    assert 2 not in shown(seat)
    seat.page.locator("#show-hidden").click()
    assert len(shown(seat)) == count
    seat.page.locator("#fold-all").click()
    assert seat.page.locator("[data-text]:visible").count() == 0
    seat.page.locator("#fold-all").click()
    assert seat.page.locator("[data-text]:visible").count() == count


@pytest.mark.soak
def test_a_match_in_a_folded_paragraph_unfolds_when_jumped_to(seat: Desk) -> None:
    seat.page.locator("#fold-all").click()
    seat.search(title_of(seat, 3))
    seat.page.keyboard.press("Enter")
    expect(seat.page.locator("#text-3")).to_be_visible()


@pytest.mark.soak
def test_a_hidden_paragraph_still_counts_and_is_sent(seat: Desk) -> None:
    seat.tick(3)
    seat.page.locator("#paragraph-3 [data-hide]").click()
    assert seat.ticked() == [3]


@pytest.mark.soak
def test_the_view_is_still_there_after_a_reload(seat: Desk) -> None:
    seat.page.locator("#paragraph-2 [data-hide]").click()
    seat.page.locator("#paragraph-1 [data-fold]").click()
    seat.page.reload()
    assert 2 not in shown(seat)
    expect(seat.page.locator("#text-1")).to_be_hidden()


@pytest.mark.soak
def test_a_search_that_cannot_reach_the_server_says_so(seat: Desk) -> None:
    seat.page.context.set_offline(True)
    seat.page.locator("#search").fill("ship")
    expect(seat.page.locator("#search-result")).to_have_text("The search needs the server, which cannot be reached.")
    seat.page.set_viewport_size({"width": 390, "height": 844})
    assert overflow(seat.page) == 0
    seat.page.context.set_offline(False)
    seat.search("shi")


@pytest.mark.soak
def test_what_was_selected_stays_selected_when_a_search_arrives_late(seat: Desk) -> None:
    for key in ("j", "v", "Shift+ArrowRight"):
        seat.page.keyboard.press(key)
    chosen = seat.page.evaluate("() => document.getSelection().toString()")
    assert len(chosen.split()) >= 2
    seat.page.evaluate(
        """() => {
          const field = document.getElementById("search");
          field.value = document.querySelector("#title-7").textContent;
          field.dispatchEvent(new Event("input", {bubbles: true}));
        }"""
    )
    seat.page.wait_for_function(
        "() => document.querySelector('#paragraphs > [data-paragraph]').dataset.paragraph === '7'"
    )
    assert seat.page.evaluate("() => document.getSelection().toString()") == chosen
    seat.page.keyboard.press("Shift+ArrowRight")
    seat.page.keyboard.press("a")
    assert seat.answer().startswith(chosen)


def test_matches_in_nasty_texts_are_lit_at_the_right_characters(desk: WorkPage) -> None:
    seat = desk("nasty", sample=1)
    for query in ("algebra", "Petrel", "waved"):
        seat.search(query)
        lit: Any = seat.page.evaluate(LIT, "match")
        assert any(query.lower() in each.lower() for each in lit), lit


@pytest.mark.soak
def test_what_was_typed_before_the_scripts_came_is_searched_too(desk: WorkPage) -> None:
    seat, held, holding = desk(), [], [True]
    seat.page.route("**/*.js", lambda route: held.append(route) if holding else route.continue_())
    seat.page.goto(seat.url, wait_until="commit")
    seat.page.locator("#search").fill("ship")
    holding.clear()
    for route in held:
        route.continue_()
    expect(seat.page.locator("#search-result")).to_contain_text("match")
