"""What is on the screen is what is stored: Submit follows an input of any kind in the same tick, by any way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.foreign import marketplace
from tests.browser.site import Site
from tests.browser.test_framed import answer
from tests.pure.test_mturk_xml import asked, form, selection

WorkPage = Callable[..., Desk]

# What people do, as the events that the browser makes of it; all of a step's and of Submit's come in one tick, before
# any timer, and before the browser tells of a selection.
GESTURES = """() => {
  const fire = (target, event) => target.dispatchEvent(event);
  const all = {bubbles: true, cancelable: true};
  const pointer = (kind, target) => fire(target, new PointerEvent("pointerdown", {pointerType: kind, ...all}));
  const text = (words) => {
    const root = document.querySelector("[data-evidence]") ?? document.getElementById("work");
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.data.includes(words) && node.parentElement.closest("[data-piece]")) return node;
    }
    throw new Error(`${words} is nowhere`);
  };
  const select = (kind, words) => {
    const node = text(words);
    pointer(kind, node.parentElement);
    const start = node.data.indexOf(words);
    document.getSelection().setBaseAndExtent(node, start, node, start + (words.length || 9));
  };
  const field = (name) => document.querySelector(`#work [name="${name}"]`);
  const button = () => document.querySelector("button[type=submit][form=work]");
  const press = (key) => {
    const [last, ...mod] = key.split("+").reverse();
    const code = /^[a-z]$/.test(last) ? `Key${last.toUpperCase()}` : last;
    fire(document.activeElement, new KeyboardEvent("keydown", {
      key: last, code, ctrlKey: mod.includes("Control"), ...all,
    }));
  };
  const acts = {
    touch: (words) => select("touch", words),
    drag: (words) => select("mouse", words), // the button is not let go
    mouse: (words) => { select("mouse", words); fire(document, new MouseEvent("mouseup", {bubbles: true})); },
    keys: (keys) => keys.split(" ").forEach(press),
    type: (name, words) => {
      field(name).focus();
      field(name).value = words;
      fire(field(name), new InputEvent("input", {bubbles: true}));
    },
    click: (sought) => document.querySelector(sought).dispatchEvent(
      new MouseEvent("click", {detail: 1, ...all})),
    send: (way) => {
      if (way === "key") return press("Control+Enter");
      pointer(way, button());
      if (way === "touch") document.getSelection().removeAllRanges(); // as a tap does
      button().click();
    },
  };
  window.act = (steps) => { for (const [name, ...given] of steps) acts[name](...given); };
}"""


class Case(NamedTuple):
    """`before` is done and settles; `last` comes in one tick with Submit; `stored` is the test of the answer."""

    id: str
    task: str
    kind: str
    before: list[list[str]]
    last: list[list[str]]
    stored: Callable[[dict[str, Any]], bool]
    options: dict[str, Any] = {}
    then: list[list[str]] = []  # what the page still asks afterwards


SAID = "Does the bridge lead anywhere at all?"
TICK = ["click", "#support-0"]
FIRST = [["mouse", "Ana Brook"], ["click", "#support-0"]]
SOLVED = [["keys", "y"]]
CORRECTED = "Osla Brandt"
COMPOSED = "What did the captain of the Petrel bring to the town with the Tide Organ?"


def text(words: str) -> Callable[[dict[str, Any]], bool]:
    return lambda answer: answer["text"] == words


def corrected(answer: dict[str, Any]) -> bool:
    first, second = answer["hops"]
    return first["answer"] == CORRECTED and CORRECTED in second["question"]


def step(**expected: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda answer: expected.items() <= answer["hops"][0].items()


CASES = {case.id: case for case in (
    Case("touch", "answer", "yesno", FIRST, [["touch", "made of stone"]], text("made of stone")),
    Case("drag", "answer", "yesno", FIRST, [["drag", "made of stone"]], text("made of stone")),
    Case("mouse", "answer", "yesno", FIRST, [["mouse", "made of stone"]], text("made of stone")),
    Case("caret", "answer", "yesno", FIRST, [["keys", "j j v a"]],
         lambda answer: answer["text"] in ("Lum", "Tarn", "Farrow")),
    Case("typing", "answer", "yesno", FIRST, [["type", "text", "made of stone"]], text("made of stone")),
    Case("tick", "answer", "yesno", FIRST, [["click", "#support-1"]], lambda answer: len(answer["support"]) == 2),
    Case("digit", "answer", "choices", [["keys", "1"]], [["keys", "2"]], lambda answer: answer["option"] == 1),
    Case("yes-after-touch", "answer", "yesno", FIRST, [["touch", "made of stone"], ["keys", "y"]],
         lambda answer: answer["kind"] == "yes", {"yes_no": True}),
    Case("undo-after-touch", "answer", "yesno", FIRST, [["touch", "made of stone"], ["keys", "Control+z"]],
         text("Ana Brook")),
    Case("confidence", "answer", "yesno", [*FIRST, ["type", "confidence", "20"]], [["type", "confidence", "70"]],
         lambda answer: answer["confidence"] == 70, {"confidence": True}),
    Case("closed-book", "answer", "yesno", [["type", "text", "stone"]], [["type", "text", "larch"]], text("larch"),
         {"context": "none"}),
    Case("asked-first", "answerability", "yesno", [["keys", "n"]],
         [["keys", "y"], ["touch", "made of stone"], TICK], text("made of stone")),
    Case("cloze", "cloze", "content_words", [["type", f"blank-{k}", "the"] for k in range(5)],
         [["type", "blank-4", "was"], ["click", "input[name=necessary][value=yes]"]],
         lambda answer: answer["words"][4] == "was" and answer["necessary"]),
    Case("compose", "compose", "strands", [["keys", "y y"], ["type", "question", COMPOSED[:-1]]],
         [["type", "question", COMPOSED]], lambda answer: answer["question"] == COMPOSED),
    Case("aside", "compose", "strands", [["keys", "n"]], [["type", "why", SAID]], lambda answer: answer["why"] == SAID),
    Case("coreference", "coreference", "pairs", [], [["click", "input[value=different]"]],
         lambda answer: answer["bridges"] == ["different"]),
    Case("choose", "choose", "compositions", [], [["keys", "2"]], lambda answer: answer["chosen"] is not None),
    Case("sufficiency", "sufficiency", "two_paragraphs", [],
         [["mouse", ""], ["click", "[data-mark]"], ["keys", "s"]],
         lambda answer: len(answer["evidence"]) == 1 and answer["verdict"] == "sufficient", {"evidence": True}),
    Case("hops-touch", "hops", "sub_questions", [["type", "hop-1-question", SAID], ["keys", "Escape"], TICK],
         [["touch", "Tamsin Vole"]], step(text="Tamsin Vole", question=SAID), {"arm": "free"}),
    Case("hops-typing", "hops", "sub_questions", [["type", "hop-1-text", "Tamsin Vole"], TICK],
         [["type", "hop-1-question", SAID]], step(text="Tamsin Vole", question=SAID), {"arm": "free"}),
    Case("hops-tick", "hops", "sub_questions",
         [["type", "hop-1-question", SAID], ["type", "hop-1-text", "Tamsin Vole"]], [TICK],
         lambda answer: len(answer["hops"][0]["support"]) == 1, {"arm": "free"}),
    Case("subquestions-touch", "subquestions", "sub_questions", [["keys", "y y y y y y y k k k k"]],
         [["touch", "Quillhaven"]], lambda answer: answer["hops"][0]["answer"] == "Quillhaven"),
    Case("subquestions-typing", "subquestions", "sub_questions", [["keys", "y y y n Escape y y y"]],
         [["type", "hop-1-answer", CORRECTED]], corrected),
    Case("solvability-touch", "solvability", "content_words", [["keys", "y"], ["type", "rationale", "salt"]],
         [["touch", "Ada Lorne"]], text("Ada Lorne"), then=[["keys", "n"]]),
    Case("solvability-typing", "solvability", "content_words", [["keys", "y"], ["type", "rationale", "salt"]],
         [["type", "text", "Ada Lorne"]], text("Ada Lorne"), then=[["keys", "n"]]),
)}  # fmt: skip


READY = """() => {
  const [painted] = performance.getEntriesByName("shown");
  return !document.querySelector(".decisions") || (painted && performance.now() - painted.startTime > 250);
}"""


def done(desk: WorkPage, case: Case, way: str) -> dict[str, Any]:
    """The answer that is stored once the input and Submit have come in one tick."""
    worker = desk(case.kind, task=case.task, options=case.options, sample=2, assignments_per_hit=1)
    page = worker.page
    page.evaluate(GESTURES)
    page.wait_for_function(READY)
    if case.before:
        for one in case.before:
            page.evaluate("(step) => act([step])", one)
        worker.save()
    sent = [*case.last, ["send", way]]
    if case.then:
        page.evaluate("(steps) => act(steps)", sent)
        page.wait_for_function(READY)
    with page.expect_response("**/submit/"), page.expect_navigation():
        page.evaluate("(steps) => act(steps)", case.then or sent)
    return dict(worker.answers()[0]["answer"])


def test_words_that_a_finger_has_just_selected_are_stored(desk: WorkPage) -> None:
    assert CASES["touch"].stored(done(desk, CASES["touch"], "touch"))


def test_words_under_a_mouse_whose_button_is_still_down_are_stored(desk: WorkPage) -> None:
    assert CASES["drag"].stored(done(desk, CASES["drag"], "key"))


def test_words_taken_by_keys_and_a_box_ticked_are_stored(desk: WorkPage) -> None:
    assert CASES["caret"].stored(done(desk, CASES["caret"], "key"))
    assert CASES["tick"].stored(done(desk, CASES["tick"], "mouse"))


def test_a_correction_that_is_being_typed_flows_into_later_questions(desk: WorkPage) -> None:
    assert corrected(done(desk, CASES["subquestions-typing"], "key"))


QUESTIONS = form(asked("town", "<FreeTextAnswer/>") + asked("size", selection()))
WAYS = pytest.mark.parametrize("way", ["touch", "mouse", "key"])


def act(page: Any, *steps: list[str]) -> None:
    """All steps in one tick; `page` may be a frame."""
    page.evaluate(GESTURES)
    page.evaluate("(steps) => act(steps)", list(steps))


@WAYS
def test_a_form_of_another_program_is_stored_as_it_was(visit: Callable[..., Any], site: Site, way: str) -> None:
    hits = site.ask("strange_hits", questions=[QUESTIONS])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    page.get_by_role("button", name="Accept", exact=True).click()
    town, size = page.get_by_role("textbox").first, page.get_by_role("radio").first
    names = [str(each.get_attribute("name")) for each in (town, size)]
    town.fill("Tolmo")
    with page.expect_response("**/submit/"), page.expect_navigation():
        chosen = ["click", f"[name={names[1]}][value='{size.get_attribute('value')}']"]
        act(page, chosen, ["type", names[0], "Tolmouth"], ["send", way])
    [row] = site.ask("answers", batch=hits["batch"])
    assert row["answer"]["fields"] == [["town", "Tolmouth"], ["size", "a"]]


@WAYS
def test_words_selected_in_the_frame_of_a_marketplace_are_stored(
    visit: Callable[..., Any], site: Site, way: str
) -> None:
    batch = site.batch("yesno", sample=1, assignments_per_hit=1)
    with marketplace() as market:
        found = site.ask("publish", batch=batch["batch"], origin=market.url)
        market.hits = [(site.url + address, hit) for address, hit in found]
        page = visit()
        page.goto(f"{market.url}/work/0")
        frame = page.frames[1]
        frame.get_by_role("button", name="I agree").click()
        frame.get_by_role("button", name="Continue to the practice").click()
        for number in range(1, 5):
            expect(frame.get_by_text(f"{number} of 4", exact=True)).to_be_visible()
            answer(frame)
            frame.get_by_role("button", name="Check my answer").click()
            frame.get_by_role("button", name="Continue").click()
        expect(frame.get_by_role("button", name="Submit")).to_be_visible()
        act(frame, TICK, ["touch", "made of stone"], ["send", way])
        expect(page.frame_locator("iframe").get_by_role("heading", name="Thank you")).to_be_visible()
    assert [row["answer"]["text"] for row in site.ask("answers", batch=batch["batch"])] == ["made of stone"]


@WAYS
def test_words_selected_in_practice_are_those_that_the_page_remarks_on(
    visit: Callable[..., Any], site: Site, way: str
) -> None:
    batch = site.batch("yesno")["batch"]
    page = visit(site.ask("person", batch=batch)["session"])
    page.goto(f"/work/batches/{batch}/practice/1/")
    words = page.locator("#text-0 [data-piece]").first.inner_text().split()[1]
    with page.expect_navigation():
        act(page, TICK, ["touch", words], ["send", way])
    expect(page.locator("#remarks")).to_be_focused()
    expect(page.locator("#answer-text")).to_have_value(words)


@pytest.mark.soak
@WAYS
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_input_of_every_task_is_stored_as_it_was_when_submit_came(desk: WorkPage, case: Case, way: str) -> None:
    assert case.stored(done(desk, case, way))
