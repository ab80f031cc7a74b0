"""A phone in one hand, a zoomed window: everything fits, everything is in reach."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import SELECT, Desk, settle, units
from tests.browser.site import Site

WorkPage = Callable[..., Desk]
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}  # 1280 x 800 at 200 %
REFLOW = {"viewport": {"width": 320, "height": 512}, "device_scale_factor": 2}  # 1280 x 2048 at 400 %

FIRST_READ = [  # of a task and a kind of records, what one reads first
    ("answer", "demo", ".paragraph"),
    ("compose", "strands", ".bridge"),
    ("coreference", "pairs", ".pair"),
    ("sufficiency", "two_paragraphs", "main h2"),
]

# Whether the middle of an element is inside the window and not under something else.
IN_REACH = """(element) => {
  const {left, right, top, bottom} = element.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const there = document.elementFromPoint(x, y);
  return x > 0 && y > 0 && x < innerWidth && y < innerHeight && (element === there || element.contains(there));
}"""

# Counts every touch, click and key over the pages of a tab.
COUNT_TOUCHES = """for (const kind of ["pointerdown", "keydown"])
  addEventListener(kind, () => sessionStorage.touches = Number(sessionStorage.touches ?? 0) + 1, true);"""

# The share of the window's height that shows a part of the page, and not the bars that cover it.
SHARE = """(selector) => {
  const heights = [...Array(innerHeight).keys()];
  const shown = heights.filter((y) => document.elementFromPoint(innerWidth / 2, y)?.closest(selector));
  return shown.length / innerHeight;
}"""


def overflow(page: Any) -> int:
    """CSS pixels by which the page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def touch_select(worker: Desk, words: str) -> int:
    """Select as a finger does: the selection stands, and no mouse button is ever let go."""
    worker.page.locator("#paragraphs").dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    position, start, end = worker.place_of(words)
    text = worker.texts()[position]
    worker.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
    expect(worker.page.locator("#answer-text")).to_have_value(words)
    return position


def test_ten_items_are_answered_on_a_phone_with_three_taps_each(desk: WorkPage) -> None:
    """Selecting the answer, its paragraph's tick, and Submit: nothing else is touched or typed."""
    worker = desk("study", sample=10, page=PHONE)
    worker.page.add_init_script(COUNT_TOUCHES)
    worker.page.reload()
    for _ in range(10):
        words = worker.texts()[2].split(". ")[0]
        position = touch_select(worker, words)
        assert overflow(worker.page) == 0
        assert worker.page.locator(".work-acts button[form=work]").evaluate(IN_REACH)
        tick = worker.page.locator(f"#support-{position}")
        tick.scroll_into_view_if_needed()
        tick.tap()
        expect(tick).to_be_checked()
        expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
        with worker.page.expect_navigation():
            worker.page.locator(".work-acts button[form=work]").tap()
    assert worker.is_done()
    assert len(worker.answers()) == 10
    assert worker.page.evaluate("() => sessionStorage.touches") == "30"


@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_nothing_is_lost_on_a_small_screen(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("demo", sample=1, page=screen)
    page = worker.page
    assert overflow(page) == 0
    for control in ("#question", "#answer-text", "#search"):
        page.locator(control).scroll_into_view_if_needed()
        expect(page.locator(control)).to_be_visible()
    page.get_by_role("button", name="View").click()
    for control in ("#sort", "#filter", "#pin", "#fold-all"):
        assert page.locator(control).evaluate(IN_REACH)
    page.keyboard.press("Escape")
    for last in ("#text-9", "#paragraph-0 [data-fold]", "#paragraph-9 [data-hide]"):
        page.locator(last).evaluate("(element) => element.scrollIntoView({block: 'center'})")
        expect(page.locator(last)).to_be_in_viewport()
    page.locator("button[form=work]").scroll_into_view_if_needed()
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    for box in ("keys-box", "instructions-box", "return-box", "problem-report-box"):
        if box in {"return-box", "problem-report-box"}:
            page.get_by_role("button", name="Back, return, report").click()
        page.locator(f"[popovertarget={box}]").first.click()
        expect(page.locator(f"#{box}")).to_be_in_viewport()
        assert overflow(page) == 0
        page.locator(f"#{box} [popovertargetaction=hide]").click()


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, ZOOMED], ids=["phone", "zoom 200 %"])
def test_what_has_the_focus_is_not_covered_by_the_bars(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("demo", sample=1, page=screen)
    for _ in range(6):
        worker.page.keyboard.press("j")
        worker.page.keyboard.press("Tab")
        assert worker.page.evaluate(
            f"() => ({IN_REACH})(document.activeElement.closest('label') ?? document.activeElement)"
        )


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, REFLOW], ids=["phone", "zoom 400 %"])
def test_texts_in_any_script_and_long_words_stay_inside(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("nasty", sample=1, page=screen)
    assert overflow(worker.page) == 0
    worker.page.locator("#answer-text").fill("W" * 300)
    worker.tick(0)
    assert overflow(worker.page) == 0


def test_controls_are_large_enough_for_a_thumb(desk: WorkPage) -> None:
    worker = desk("demo", sample=1, page=PHONE)
    sizes = worker.page.locator(
        "button:visible, select:visible, input:visible:not([type=checkbox]), label.tick:visible"
    ).evaluate_all(
        """all => all.map((element) => {
          const {width, height} = element.getBoundingClientRect();
          return [width, height, element.outerHTML.slice(0, 90)];
        })"""
    )
    assert [each for each in sizes if each[0] < 24 or each[1] < 24] == []


REQUESTERS = (
    "batch",
    "batch-decide",
    "problem-reports",
    "hits",
    "money",
    "approvals",
    "dataset",
    "people",
    "log",
    "batch-new",
    "batch-workers",
    "notices",
)


@pytest.mark.soak
@pytest.mark.parametrize(("who", "paths"), [("alice", ("/", *REQUESTERS)), ("bob", ("/work/history/", "/work/"))])
def test_what_is_clicked_is_24_pixels_high_and_wide(
    visit: Any, furnished: dict[str, Any], who: str, paths: tuple[str, ...]
) -> None:
    """Names in tables and in the header too; a link in a sentence is as high as its line, a box as its label."""
    page = visit(furnished["sessions"][who])
    assert {path: small for path in paths if (small := _small(page, furnished["urls"].get(path, path)))} == {}


def _small(page: Any, path: str) -> Any:
    page.goto(path)
    return page.locator("a[href], button, select, summary, input:not([type=hidden])").evaluate_all(
        """all => all.filter((each) => each.checkVisibility() && !each.closest(".unseen, p, label .unseen"))
          .map((each) => [each.closest("label") ?? each, each])
          .map(([target, each]) => [target.getBoundingClientRect(), each.outerHTML.slice(0, 90)])
          .filter(([{width, height}]) => width && (width < 24 || height < 24)).map(([, said]) => said)"""
    )


@pytest.mark.soak
def test_the_page_that_is_open_is_in_sight_among_its_mates(visit: Any, furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["bob"], **PHONE)
    for path in ("/work/earnings/", "/work/messages/"):
        page.goto(path)
        assert page.locator(".tabs [aria-current]").evaluate(IN_REACH)


@pytest.mark.parametrize(("screen", "least"), [(PHONE, 0.65), (ZOOMED, 0.6)], ids=["phone", "zoom 200 %"])
def test_most_of_the_screen_is_text_while_one_reads(desk: WorkPage, screen: dict[str, Any], least: float) -> None:
    worker = desk("demo", sample=1, options={"yes_no": True, "no_answer": True}, page=screen)
    first = worker.page.locator(".paragraph").first.bounding_box()
    assert first is not None
    assert first["y"] < 200  # bar, question of two lines and one line of tools
    worker.page.locator("#text-5").evaluate("(element) => element.scrollIntoView({block: 'center'})")
    assert worker.page.evaluate(SHARE, ".read") >= least
    assert worker.page.locator(".work-acts button[form=work]").evaluate(IN_REACH)
    assert worker.page.locator("#answer-text").evaluate(IN_REACH)


@pytest.mark.soak
def test_a_question_of_four_lines_and_the_time_of_saving_are_whole_on_a_phone(desk: WorkPage) -> None:
    worker = desk("demo", sample=1, page=PHONE)
    page = worker.page
    long = "Which of the harbours at which the brig called before her captain died lies farthest from the town of " * 2
    page.locator(".ask h2").evaluate("(element, words) => element.textContent = words", long[:130])
    assert page.locator(".ask").evaluate("(element) => element.scrollHeight - element.clientHeight") <= 0
    page.locator(".paragraph .tick").first.tap()
    worker.save()
    assert page.locator("#saved").evaluate("(element) => element.scrollWidth - element.clientWidth") <= 0


@pytest.mark.soak
def test_undo_and_clear_are_of_one_height(desk: WorkPage) -> None:
    page = desk("demo", sample=1).page
    undo, clear = (page.locator(f"#{name}-answer").bounding_box() for name in ("undo", "clear"))
    words = page.locator("#undo-answer .label").bounding_box()
    assert undo
    assert clear
    assert words
    assert undo["height"] == clear["height"] <= 30
    assert abs((words["y"] + words["height"] / 2) - (undo["y"] + undo["height"] / 2)) <= 1


@pytest.mark.soak
def test_the_work_begins_high_and_one_thing_is_urged(desk: WorkPage) -> None:
    for task, kind, reading in FIRST_READ:
        for screen, highest in (({"viewport": {"width": 1280, "height": 800}}, 200), (PHONE, 260)):
            page = desk(kind, task=task, sample=1, page=screen).page
            first = page.locator(reading).first.bounding_box()
            assert first is not None, task
            assert first["y"] < highest, task
            assert page.locator(".button.primary:visible").count() <= 1, task
            assert overflow(page) == 0, task


@pytest.mark.soak
def test_options_unfold_on_a_phone_and_leave_the_room_to_the_text(desk: WorkPage) -> None:
    worker = desk("choices", sample=2, page=PHONE)
    page = worker.page
    fold, option = page.locator("#fold-options"), page.locator(".options .choice").nth(1)
    expect(option).not_to_be_visible()
    assert page.evaluate(SHARE, ".read") >= 0.65
    fold.tap()
    option.tap()
    expect(option).not_to_be_visible()
    text = option.locator("[dir]").text_content()
    expect(fold.locator("[data-chosen]")).to_have_text(text)
    page.keyboard.press("1")
    expect(fold.locator("[data-chosen]")).not_to_have_text(text)
    fold.tap()
    option.get_by_role("radio").tap()
    expect(option).not_to_be_visible()
    expect(fold.locator("[data-chosen]")).to_have_text(text)


@pytest.mark.soak
def test_the_tools_of_a_phone_are_one_line_and_the_question_can_be(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, page=PHONE)
    page = worker.page
    tools = page.locator(".tools > :visible").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect()).map(({top, bottom}) => (top + bottom) / 2)"
    )
    assert len(tools) == 3
    assert max(tools) - min(tools) < 2
    whole = page.locator("#question").bounding_box()["height"]
    fold = page.get_by_role("button", name="The whole question")
    fold.tap()
    expect(fold).to_have_attribute("aria-expanded", "false")
    assert page.locator("#question").bounding_box()["height"] < whole
    worker.select("the")
    page.locator("#propose").tap()
    worker.submit()
    expect(fold).to_have_attribute("aria-expanded", "true")  # the next question is to be read
    fold.tap()
    expect(fold).to_have_attribute("aria-expanded", "false")


@pytest.mark.soak
def test_a_cross_closes_and_does_nothing_else(desk: WorkPage) -> None:
    page = desk("demo", sample=1, page=PHONE).page
    crosses = page.get_by_role("button").filter(has_text="✕")
    assert set(crosses.evaluate_all("all => all.map((each) => each.getAttribute('aria-label'))")) <= {"Close"}
    nameless = page.locator("button:visible, a:visible, input:visible, select:visible").evaluate_all(
        """all => all.filter((each) => !(each.getAttribute("aria-label") || each.labels?.length
          || each.textContent.trim())).map((each) => each.outerHTML.slice(0, 90))"""
    )
    assert nameless == []


def test_a_selection_that_handles_change_is_left_alone_until_it_rests(desk: WorkPage) -> None:
    """Dragging a handle is a row of selections without any mouse; the page must not touch the text under it."""
    worker = desk("demo", sample=1, page=PHONE)
    page = worker.page
    words = worker.texts()[2].split(". ")[0]
    start = " ".join(words.split()[:5])
    position = touch_select(worker, start)
    assert worker.marked() == ""  # a mark would take the handles away
    text = worker.texts()[position]
    ends = [units(text, end) for end in (*range(len(start) + 1, len(words) + 1, 5), len(words))]
    # in one call, as quick as a finger: a busy machine would let the selection rest between two
    dragged = f"""async ([position, ends]) => {{
      for (const end of ends) {{ ({SELECT})([position, 0, end]); await new Promise((go) => setTimeout(go)); }}
      return document.getElementById("answer-text").value;
    }}"""
    assert page.evaluate(dragged, [position, ends]) == start
    expect(page.locator("#answer-text")).to_have_value(words)
    assert page.evaluate("() => document.getSelection().toString()") == words
    page.evaluate("() => document.getSelection().removeAllRanges()")
    page.wait_for_function("(words) => document.querySelector('#paragraphs mark')?.textContent === words", arg=words)
    assert (worker.field("kind"), worker.field("start"), worker.field("end")) == ("span", "0", str(len(words)))


@pytest.mark.parametrize(
    ("task", "kind"), [("coreference", "pairs"), ("choose", "compositions"), ("sufficiency", "two_paragraphs")]
)
def test_a_decision_on_a_phone_is_a_tap_at_the_end_of_the_screen(desk: WorkPage, task: str, kind: str) -> None:
    worker = desk(kind, task=task, sample=2, page=PHONE)
    page = worker.page
    for choice in page.locator(".decision:visible label").all():
        assert choice.evaluate(IN_REACH)
    expect(page.locator(".work-acts button[form=work]")).to_be_hidden()
    bar = page.locator(".decisions").bounding_box()
    assert bar["y"] + bar["height"] == PHONE["viewport"]["height"]  # nothing below it
    assert bar["height"] <= (310 if task == "choose" else 130)
    settle(page)
    with page.expect_response("**/submit/"), page.expect_navigation():
        page.locator(".decision:visible label").first.tap()
    assert len(worker.answers()) == 1
    expect(page.locator("#undo")).to_be_visible()
    assert page.locator(".decisions").bounding_box()["height"] <= (310 if task == "choose" else 130)


@pytest.mark.soak
def test_a_decision_that_arrows_chose_can_be_submitted(desk: WorkPage) -> None:
    worker = desk("pairs", task="coreference", sample=2)
    submit = worker.page.locator(".work-acts button[form=work]")
    expect(submit).to_be_hidden()
    worker.page.locator(".decision input").first.focus()
    worker.page.keyboard.press("ArrowRight")
    expect(submit).to_be_visible()
    with worker.page.expect_response("**/submit/"), worker.page.expect_navigation():
        submit.click()
    assert worker.answers()[0]["answer"]["bridges"] == ["different"]


@pytest.mark.soak
@pytest.mark.parametrize("title", [("Breakwater" * 9)[:90], ("Who dug the well of Port Anselm? " * 3)[:90]])
def test_no_page_of_a_project_is_wider_than_a_phone_with_long_titles(
    visit: Callable[..., Any], furnished: dict[str, Any], site: Site, title: str
) -> None:
    name = re.sub(r"[^a-z]+", "-", title.lower())
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    addresses = {url for url in furnished["urls"].values() if url.startswith("/projects/")}
    before = site.ask("retitle", titles={"batches": {"": title}, "jobs": {"": title}, "datasets": {"": name}})
    names = {old: f"{name}-{pk}" for pk, old in before["datasets"].items()}
    widths = {}
    try:
        for address in sorted("/".join(names.get(part, part) for part in url.split("/")) for url in addresses):
            if is_page(page.request.get(f"{site.url}{address}")):
                page.goto(f"{site.url}{address}")
                widths[address] = overflow(page)
    finally:
        site.ask("retitle", titles=before)
    assert {address: width for address, width in widths.items() if width} == {}
    assert len(widths) > 40


def is_page(reply: Any) -> bool:
    """Whether it is a whole page, and neither an error, nor a file, nor a part of a page."""
    return bool(reply.ok) and reply.headers["content-type"].startswith("text/html") and "<html" in reply.text()


def test_a_phone_is_told_of_no_keys_and_shows_responses_as_cards(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, page=PHONE)
    worker.page.get_by_role("button", name="Instructions").click()
    told = worker.page.locator("#instructions-box")
    expect(told).to_contain_text("use Report a problem")
    expect(told.locator("kbd:visible")).to_have_count(0)
    worker.page.keyboard.press("Escape")
    worker.page.get_by_role("button", name="Keys and settings").click()
    expect(worker.page.locator("#keys-box h2")).to_have_text("Settings", use_inner_text=True)
    expect(worker.page.locator("#keys-box .keys")).to_be_hidden()
    worker.page.keyboard.press("Escape")
    words = " ".join(worker.texts()[0].split()[:2])
    touch_select(worker, words)
    worker.page.locator("[name=support]").first.check()
    worker.page.locator("[form=work][type=submit]").click()
    expect(worker.page.locator(".work-progress")).to_contain_text("2 of")
    worker.page.goto(worker.page.url.split("/assignments/")[0] + "/work/history/")
    expect(worker.page.locator(".response")).to_contain_text(words)
    assert overflow(worker.page) == 0


@pytest.mark.parametrize(("kind", "shown"), [("yesno", False), ("demo", True)])
def test_three_paragraphs_have_no_tools_to_sort_filter_and_fold(desk: WorkPage, kind: str, shown: bool) -> None:
    worker = desk(kind, sample=1, page={"viewport": {"width": 1280, "height": 800}})
    assert (worker.page.locator(".paragraph").count() > 3) == shown
    for tool in ("#fold-all", "#sort", "[data-fold] >> nth=0", "[data-hide] >> nth=0"):
        expect(worker.page.locator(tool)).to_be_visible(visible=shown)
