"""One decision, one key: sent at once, the next is there, and for some seconds it can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, nothing_sent, settle
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import IN_REACH, PHONE, overflow

WorkPage = Callable[..., Desk]
KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'y', code: 'KeyY', bubbles: true}))"
CLICK = """document.querySelector('input[value=different]')
    .dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, detail: 1}))"""
# A second press or click, made as soon as the item was painted and handled only now: on a busy machine the way there
# takes longer than a person takes between the two.
AT_ONCE = """async () => {
    while (!performance.getEntriesByName('shown').length) await new Promise((done) => setTimeout(done, 5));
    const painted = performance.getEntriesByName('shown')[0].startTime;
    const late = (event) => Object.defineProperty(event, 'timeStamp', {value: painted});
    for (const kind of ['keydown', 'click']) addEventListener(kind, late, {capture: true, once: true});
    %s;
}"""
# A key is held from before the item was painted, and comes every 30 ms however busy the machine is.
HELD = f"""async () => {{
    while (!performance.getEntriesByName('shown').length) await new Promise((done) => setTimeout(done, 5));
    const painted = performance.getEntriesByName('shown')[0].startTime;
    let time = 0;
    const onTime = (event) => Object.defineProperty(event, 'timeStamp', {{value: painted + 30 * time}});
    addEventListener('keydown', onTime, {{capture: true}});
    for (; time < 25; time++) {{ {KEY}; await new Promise((done) => setTimeout(done, 5)); }}
}}"""
# Promises where the decisions stand once undoing is offered: on a busy machine it may be over before we can look.
OFFERED = """() => {
    const place = () => {
        const { x, y, width, height } = document.querySelector(".decisions").getBoundingClientRect();
        return { x, y, width, height };
    };
    window.offered = new Promise((done) => new MutationObserver(() => {
        if (!document.querySelector("#undo progress")?.checkVisibility()) return;
        requestAnimationFrame(() => requestAnimationFrame(() => done(place())));
    }).observe(document.documentElement, { attributes: true, childList: true, subtree: true }));
}"""


@pytest.fixture
def pairs(desk: WorkPage) -> WorkPage:
    return lambda kind="pairs", **more: desk(kind, task=more.pop("task", "coreference"), **more)


def decide(worker: Desk, key: str) -> None:
    """Press the key as somebody who has read the page, and wait for the next one."""
    settle(worker.page)
    worker.submit(key)


def told(worker: Desk) -> list[tuple[int, Any]]:
    """(revision, bridges or choice) of every stored answer."""
    return [(row["revision"], row["answer"].get("bridges", row["answer"].get("chosen"))) for row in worker.answers()]


def test_a_key_answers_and_the_next_one_is_there_in_the_same_place(pairs: WorkPage) -> None:
    worker = pairs(sample=3)
    places = []
    for key in "ynu":
        places.append(worker.page.locator(".decision .segments").bounding_box())
        decide(worker, key)
    assert told(worker) == [(1, ["same"]), (1, ["different"]), (1, ["unsure"])]
    assert worker.is_done()
    assert places[0] == places[1] == places[2]


@pytest.mark.soak
def test_undo_leads_back_and_the_new_decision_is_another_revision(pairs: WorkPage) -> None:
    worker = pairs(sample=3)
    decide(worker, "y")
    expect(worker.page.locator("#undo")).to_contain_text("Your decision: Same entity")
    with worker.page.expect_navigation():
        worker.page.keyboard.press("z")
    assert worker.url in worker.page.url
    expect(worker.page.locator("input[value=same]")).to_be_checked()
    decide(worker, "n")
    assert told(worker) == [(1, ["same"]), (2, ["different"])]
    expect(worker.page.locator("#undo")).to_contain_text("Your decision: Not the same")
    assert worker.url not in worker.page.url


@pytest.mark.parametrize("page", [{}, PHONE], ids=["desk", "phone"])
def test_undo_is_offered_for_five_seconds_and_moves_nothing(pairs: WorkPage, page: dict[str, Any]) -> None:
    worker = pairs(sample=3, page=page)
    worker.page.evaluate(OFFERED)
    decide(worker, "y")
    bar = worker.page.locator(".decisions")
    before = worker.page.evaluate("() => window.offered")
    url = worker.page.url
    expect(worker.page.locator("#undo")).to_be_hidden()
    assert bar.bounding_box() == before
    with nothing_sent(worker.page):
        worker.page.keyboard.press("z")
    assert worker.page.url == url
    worker.page.reload()
    expect(worker.page.locator("#undo")).to_be_hidden()


@pytest.mark.soak
def test_the_last_decision_of_a_batch_can_be_taken_back_too(pairs: WorkPage) -> None:
    worker = pairs(sample=1)
    decide(worker, "u")
    assert worker.is_done()
    expect(worker.page.locator("#undo")).to_contain_text("Your decision: Cannot tell")
    with worker.page.expect_navigation():
        worker.page.keyboard.press("z")
    assert worker.url in worker.page.url


@pytest.mark.soak
def test_a_held_key_answers_only_once(pairs: WorkPage) -> None:
    worker = pairs(sample=4)
    settle(worker.page)
    with worker.page.expect_navigation():
        worker.page.keyboard.down("y")
    settle(worker.page)
    with nothing_sent(worker.page):
        for _ in range(30):
            worker.page.keyboard.down("y")  # repeats, as a held key does
    worker.page.keyboard.up("y")
    assert told(worker) == [(1, ["same"])]
    decide(worker, "y")
    assert len(told(worker)) == 2


@pytest.mark.soak
def test_a_held_key_that_does_not_say_that_it_repeats_answers_only_once(pairs: WorkPage) -> None:
    worker = pairs(sample=4)
    settle(worker.page)
    with worker.page.expect_navigation():
        worker.page.evaluate(f"() => {KEY}")
    worker.page.evaluate(HELD)
    assert told(worker) == [(1, ["same"])]


@pytest.mark.soak
def test_a_double_press_and_a_double_click_answer_only_once(pairs: WorkPage) -> None:
    worker = pairs(sample=4)
    decide(worker, "y")
    with nothing_sent(worker.page):
        worker.page.evaluate(AT_ONCE % KEY)
    assert len(told(worker)) == 1
    settle(worker.page)
    with worker.page.expect_navigation():
        worker.page.evaluate(f"() => {{ {CLICK}; {CLICK}; }}")
    with nothing_sent(worker.page):
        worker.page.evaluate(AT_ONCE % CLICK)
    assert len(told(worker)) == 2


@pytest.mark.parametrize(
    "script",
    [
        "window.requestAnimationFrame = () => 0",
        "Object.defineProperty(Event.prototype, 'timeStamp', {get: () => performance.now() - 3600000})",
    ],
    ids=["no frame", "an hour behind"],
)
def test_decisions_are_taken_without_a_frame_and_by_another_clock(pairs: WorkPage, script: str) -> None:
    worker = pairs(sample=1)
    worker.page.add_init_script(script)
    worker.page.reload()
    decide(worker, "y")
    assert len(worker.answers()) == 1


@pytest.mark.soak
def test_no_key_decides_while_a_note_is_written(pairs: WorkPage) -> None:
    worker = pairs(sample=2)
    settle(worker.page)
    worker.page.keyboard.press("t")
    worker.page.keyboard.type("you may not know: 1 ship, 1 inn")
    assert told(worker) == []
    assert worker.url in worker.page.url
    worker.page.keyboard.press("Escape")
    decide(worker, "n")
    assert worker.answers()[0]["answer"] == {"bridges": ["different"], "why": "you may not know: 1 ship, 1 inn"}


@pytest.mark.soak
def test_arrows_choose_without_sending_and_keys_can_be_off(pairs: WorkPage) -> None:
    worker = pairs(sample=2)
    worker.page.keyboard.press("?")
    worker.page.get_by_label("Single-key shortcuts").uncheck()
    expect(worker.page.locator("#keys-said")).to_have_text("Saved.")
    worker.page.keyboard.press("Escape")
    settle(worker.page)
    worker.page.keyboard.press("y")
    worker.page.locator("input[value=same]").focus()
    for key in ("Space", "ArrowRight"):
        worker.page.keyboard.press(key)
    expect(worker.page.locator("input[value=different]")).to_be_checked()
    worker.save()
    assert told(worker) == []
    worker.submit()
    assert told(worker) == [(1, ["different"])]
    expect(worker.page.locator("#undo a")).to_be_visible()
    expect(worker.page.locator("#undo kbd")).to_be_hidden()


@pytest.mark.soak
def test_several_bridges_are_judged_one_after_the_other_and_sent_together(pairs: WorkPage) -> None:
    worker = pairs("chain", sample=1)
    page = worker.page
    settle(page)
    expect(page.locator("[data-step]:visible")).to_contain_text("Wick Harrow")
    for key, now in (("y", "2"), ("z", "1"), ("n", "2")):
        page.keyboard.press(key)
        expect(page.locator("[data-go][aria-current]")).to_have_text(now)
        settle(page)
    expect(page.locator(".decision:visible")).to_have_count(1)
    decide(worker, "y")
    assert told(worker) == [(1, ["different", "same"])]


@pytest.mark.soak
def test_a_draft_comes_back_with_the_bridge_that_is_next(pairs: WorkPage) -> None:
    worker = pairs("chain", sample=1)
    settle(worker.page)
    worker.page.keyboard.press("u")
    worker.save()
    worker.page.reload()
    expect(worker.page.locator("[data-go][aria-current]")).to_have_text("2")
    assert worker.draft()["draft"]["bridges"] == ["unsure", ""]


@pytest.mark.soak
def test_words_are_lit_and_mentions_gone_through(pairs: WorkPage) -> None:
    worker = pairs("chain", sample=1)
    settle(worker.page)
    lit = "() => [...(CSS.highlights.get('lit') ?? [])].map(String)"
    worker.page.keyboard.press("w")
    asked = " ".join(worker.page.locator("[data-lit-from]").all_text_contents()).lower()
    words = [word.lower() for word in worker.page.evaluate(lit)]
    assert words
    assert all(word in asked for word in words)
    assert not {"wick", "harrow", "the"} & set(words)
    worker.page.reload()
    assert worker.page.evaluate(lit)
    settle(worker.page)
    worker.page.keyboard.press("w")
    assert worker.page.evaluate(lit) == []
    worker.page.keyboard.press("a")
    assert worker.page.evaluate("() => document.activeElement.hasAttribute('data-mention')")


@pytest.mark.soak
def test_a_composition_is_chosen_by_its_number_in_whatever_order(pairs: WorkPage) -> None:
    worker = pairs("compositions", sample=2, task="choose")
    shown = worker.page.locator(".long .words").all_text_contents()
    decide(worker, "2")
    expect(worker.page.locator("#undo")).to_contain_text("Your decision:")
    decide(worker, "0")
    assert worker.is_done()
    (_, chosen), (_, none) = told(worker)
    assert shown[1].startswith(("In which town", "Where was Osla", "What is the birthplace")[chosen])
    assert none is None


@pytest.mark.parametrize(
    ("kind", "task"), [("pairs", "coreference"), ("chain", "coreference"), ("compositions", "choose")]
)
def test_a_phone_decides_by_taps(pairs: WorkPage, kind: str, task: str) -> None:
    worker = pairs(kind, task=task, sample=2, page=PHONE)
    steps = 2 if kind == "chain" else 1
    for _ in range(2):
        assert overflow(worker.page) == 0
        for step in range(steps):
            settle(worker.page)
            choice = worker.page.locator(".decision:visible label").first
            choice.scroll_into_view_if_needed()
            assert choice.locator("input").evaluate(IN_REACH)
            size = choice.bounding_box()
            assert min(size["width"], size["height"]) >= 40
            if step < steps - 1:
                choice.tap()
                continue
            with worker.page.expect_navigation():
                choice.tap()
    assert len(worker.answers()) == 2


@pytest.mark.parametrize(("kind", "task"), [("chain", "coreference"), ("compositions", "choose")])
def test_decisions_need_no_scripts(pairs: WorkPage, kind: str, task: str) -> None:
    worker = pairs(kind, task=task, sample=1, page={"java_script_enabled": False})
    page = worker.page
    assert page.locator(".needs-js:visible").count() == 0
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems")).to_be_visible()
    for decision in page.locator(".decision").all():
        decision.locator("input").nth(1).check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("main")).to_contain_text("Nothing is left to do here")
    assert len(worker.answers()) == 1


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "task"), [("pairs", "coreference"), ("chain", "coreference"), ("compositions", "choose")]
)
def test_no_rule_of_axe_is_broken(pairs: WorkPage, kind: str, task: str) -> None:
    worker = pairs(kind, task=task, sample=2)
    assert broken(worker.page) == []
    settle(worker.page)
    if kind != "chain":
        worker.page.keyboard.press("1" if task == "choose" else "y")
        expect(worker.page.locator("#undo")).to_be_visible()
    assert broken(worker.page) == []
