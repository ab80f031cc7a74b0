"""What a screen reader says of the answer and the compose page, read from Chromium's accessibility tree."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility_tree import described, heard, nameless, shortcuts, texts_of
from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]
TOP = [
    "link Skip to the content",
    "banner",
    "link Your work",
    "heading A study",
    "progressbar Progress in this batch",
    "button Instructions",
    "button Keys and settings",
    "main",
]
ACTS = [
    "contentinfo",
    "group This item",
    "link Back",
    "button Return this item",
    "button Report a problem",
    "button Keys [expanded]",
]
TITLES = ("Lum Bridge", "Tarn Bridge", "Farrow")
HOPS = [
    "region The hops",
    "heading The hops",
    "list",
    "listitem Who was captain of the Petrel?",
    "heading Who was captain of the Petrel?",
    "group",
    "listitem In which town is the Tide Organ?",
    "heading In which town is the Tide Organ?",
    "group",
    "listitem What did Mara Quell, hop 1 bring to Mellisand, hop 2?",
    "heading What did Mara Quell, hop 1 bring to Mellisand, hop 2?",
    "link Mara Quell, hop 1",
    "link Mellisand, hop 2",
    "group",
]


def paragraphs_of(worker: Desk) -> list[str]:
    said = []
    for number, text in enumerate(worker.texts(), start=1):
        title = next(title for title in TITLES if text.startswith(title))
        said += [
            f"listitem {title}",
            f"checkbox Supports the answer: paragraph {number}",
            f"heading {title}",
        ]
    return said


def test_answer_is_read_as_question_then_answer_then_paragraphs_then_submit(desk: WorkPage) -> None:
    worker = desk("yesno", options={"yes_no": True, "no_answer": True})
    page = worker.page
    question = page.locator("#question").text_content()
    assert heard(page) == [
        *TOP,
        "region Question",
        f"heading {question}",
        "region Your answer",
        "group Answer",
        "button Undo [disabled]",
        "button Clear [disabled]",
        "textbox Answer in words",
        "group Kind of answer",
        "radio Words [checked]",
        "radio Yes",
        "radio No",
        "radio No answer",
        "region Paragraphs",
        "searchbox Search the paragraphs",
        "status",
        "list",
        *paragraphs_of(worker),
        *ACTS,
        "link an answer",
        "link supporting paragraphs",
        "button Submit",
        "status",
    ]
    assert nameless(page) == []
    about = described(page)
    assert about["textbox Answer in words"] == "Select text to make it the answer."
    for number, title in enumerate(t.split(" crosses")[0].split(" lies")[0] for t in worker.texts()):
        assert about[f"checkbox Supports the answer: paragraph {number + 1}"] == title


@pytest.mark.soak
def test_keys_are_shortcuts_of_controls_and_no_part_of_their_names(desk: WorkPage) -> None:
    page = desk("yesno", options={"yes_no": True, "no_answer": True}).page
    keys = shortcuts(page)
    assert keys["button Submit"] == "Control+Enter"
    assert keys["button Keys and settings"] == "?"
    assert (keys["radio Yes"], keys["radio No"], keys["radio No answer"]) == ("y", "n", "0")
    page.keyboard.press("?")
    page.get_by_label("Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("#keys-box")).to_be_hidden()
    assert set(shortcuts(page).values()) == {"Control+Enter", "Control+z"}


def test_answer_says_what_was_chosen_ticked_found_and_is_missing(desk: WorkPage) -> None:
    worker = desk("yesno")
    page = worker.page
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems")).to_be_visible()
    assert texts_of(page, "alert") == [
        "2 things are still to do: Give an answer: select it in a paragraph or type it. "
        "Tick at least one paragraph that supports your answer."
    ]
    position = worker.select("It is made of larch")
    assert f"Answer: It is made of larch, from paragraph {position + 1}" in texts_of(page, "status")
    worker.search("larch")
    assert "1 of 3 match" in texts_of(page, "status")
    page.keyboard.press("Escape")
    page.locator(f"#paragraph-{position}").focus()
    page.keyboard.press("x")
    assert f"Paragraph {position + 1} ticked" in texts_of(page, "status")
    assert f"checkbox Supports the answer: paragraph {position + 1} [checked]" in heard(page)
    assert nameless(page) == []


@pytest.mark.soak
def test_compose_is_read_as_graph_then_one_bridge(desk: WorkPage) -> None:
    page = desk("strands", task="compose").page
    asked = "Do both refer to the same “Mara Quell”?"
    assert heard(page) == [
        *TOP,
        "region The graph",
        "image Which hop uses the answer of which hop",
        "button Examples",
        "region Your question",
        "region Bridges",
        "list",
        f"listitem {asked}",
        f"heading {asked}",
        "heading Who was captain of the Petrel?",
        "group Paragraph of hop 1",
        "heading Petrel",
        "heading What did Mara Quell, hop 1 bring to Mellisand, hop 2?",
        "group Paragraph of hop 3",
        "heading Mara Quell, hop 1",
        f"group {asked}",
        "radio The same",
        "radio Not the same",
        "radio Cannot tell",
        "listitem Do both refer to the same “Mellisand”?",
        *ACTS,
        "link bridge 1 of 2",
        "button Submit",
        "status",
    ]
    assert described(page)["image Which hop uses the answer of which hop"] == (
        "Hop 1 uses no other hop. Hop 2 uses no other hop. Hop 3 uses the answer of hop 1 and 2."
    )
    keys = shortcuts(page)
    assert (keys["radio The same"], keys["radio Not the same"], keys["radio Cannot tell"]) == ("y", "n", "u")
    assert nameless(page) == []
    page.keyboard.press("y")
    assert texts_of(page, "status") == ["Bridge 1: the same."]


@pytest.mark.soak
def test_compose_says_that_the_field_is_open_and_what_the_checks_find(desk: WorkPage) -> None:
    page = desk("strands", task="compose").page
    page.keyboard.press("y")
    page.keyboard.press("y")
    expect(page.locator("#question")).to_be_focused()
    assert texts_of(page, "status") == ["All bridges are the same. Write your question."]
    checks = ["region Words of each hop; those that you use are underlined"]
    checks += ["heading Words of each hop; those that you use are underlined", "list", *["listitem"] * 3]
    written = ["region Your question", "textbox Your question", "status", *checks, "list"]
    judged = ["region Bridges", "list"]
    for entity in ("Mara Quell", "Mellisand"):
        judged += [f"listitem Do both refer to the same “{entity}”?", f"button change : {entity}"]
    graph = ["region The graph", "image Which hop uses the answer of which hop", "button Undo", "button Examples"]
    end = [*ACTS, "link your question", "button Submit", "status"]
    assert heard(page) == [*TOP, *graph, *written, "listitem", *judged, *HOPS, *end]

    text = "What did the captain of the Petrel bring home to Port Mellisand?"
    page.keyboard.type(text)
    expect(page.locator(".findings")).to_have_attribute("data-question", text)
    expect(page.locator("#voice")).not_to_have_text("All bridges are the same. Write your question.")
    found = "gives away “Mellisand”, the answer of hop 2; does not ask about hop 2"
    assert texts_of(page, "status") == [found]  # and not the number of words at every key
    why = ["group You can keep what is marked ⚠ if you give a reason.", "textbox does not ask about hop 2"]
    end[-3:-2] = ["link fix 1 problem marked ✗", "link fix or explain 1 warning"]
    assert heard(page) == [*TOP, *graph, *written, *["listitem"] * 2, *why, *judged, *HOPS, *end]
    assert described(page)["textbox Your question"].startswith("12 of 30 words")
    assert nameless(page) == []
