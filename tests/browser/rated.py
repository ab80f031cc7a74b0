"""Records and rubrics for the browser tests of ratings: a chain of steps over passages, and answers of two systems."""

from __future__ import annotations

from typing import Any

from tests.browser.graphs import HARD
from tests.browser.records import record

PASSAGES = [
    ("Lum Bridge", "Lum Bridge crosses the Lum at Farrow. Ana Brook built it in 1871. It is made of larch 🌲."),
    ("Ana Brook", "Ana Brook was a builder of bridges. She was born in Wick Harrow and never learned to swim."),
    ("Farrow", "Farrow lies on the Lum. It keeps a fair in May. Its mayor is elected by lot."),
]
STEPS = ["Ana Brook built Lum Bridge.", "Ana Brook was born in Wick Harrow.", "Farrow has a mayor who is never paid."]
MORE = {
    "steps": STEPS,
    "candidate": "She was born at Wick Harrow.",
    "system_a": "In Wick Harrow.",
    "system_b": "In Farrow, on the Lum, where the builder of the bridge also learned to swim as a child.",
    "system_c": "Nobody knows.",
}
CHECK = {
    "title": "Check generated questions",
    "show": ["question", "answer", "steps", "paragraphs"],
    "criteria": [
        {
            "name": "faithful", "ask": "Do the passages support the answer?",
            "scale": [1, 4], "labels": ["not at all", "fully"],
        },
        {"name": "natural", "ask": "Does it sound natural?", "scale": [1, 4]},
        {"name": "multihop", "ask": "Does it take more than one passage?", "choice": ["yes", "no"]},
        {"name": "comment", "ask": "Anything else?", "text": "long"},
    ],
}  # fmt: skip
RELEVANCE = {
    "show": ["question"],
    "criteria": [{"name": "relevance", "each": "paragraphs", "ask": "How relevant is this passage?", "scale": [0, 3]}],
}
SUPPORTED = {
    "show": ["question", "paragraphs"],
    "criteria": [
        {
            "name": "step", "each": "steps", "ask": "Is this step supported?",
            "choice": ["supported", "contradicted", "not in evidence"],
        },
        {
            "name": "evidence", "each": "steps", "ask": "Mark the words.", "mark": "paragraphs",
            "if": {"step": ["supported", "contradicted"]},
        },
    ],
}  # fmt: skip
SAME = {
    "show": ["question", "answer", "candidate"],
    "criteria": [
        {"name": "same", "ask": "Does the candidate mean the same?", "choice": ["yes", "partly", "no"], "ordered": True}
    ],
}
BETTER = {
    "show": ["question"],
    "criteria": [{"name": "better", "ask": "Which answer is better?", "best": ["system_a", "system_b"], "tie": True}],
}
TOWNS = ["Farrow", "Wick Harrow", "Quillhaven", "Skarrow", "Gannet Pier", "Port Anselm", "Lum", "Tarn", "Orrin", "Vole"]
EVERYTHING = {
    "show": ["question", "paragraphs"],
    "criteria": [
        {"name": "ranked", "ask": "Put them in order.", "order": ["system_a", "system_b", "system_c"]},
        {"name": "kinds", "ask": "What is wrong with it?", "choices": ["typo", "fact", "tone"], "required": False},
        {"name": "town", "ask": "Which town is it about?", "choice": TOWNS},
        {"name": "share", "ask": "How sure are you?", "number": [0, 100], "unit": "%"},
        {
            "name": "spans", "ask": "Mark people and places.", "mark": "paragraphs",
            "of": {"person": "Person", "place": "Place"},
        },
        {"name": "temper", "ask": "Is it kind?", "scale": [-2, 2], "labels": ["unkind", "kind"]},
    ],
}  # fmt: skip
LARGE = {
    "show": ["question", "paragraphs"],
    "criteria": [
        {"name": "step", "each": "steps", "ask": "Is it so?", "choice": ["supported", "contradicted", "neither"]},
        {"name": "clear", "each": "steps", "ask": "Is it clear?", "scale": [1, 5]},
        {"name": "needed", "each": "steps", "ask": "Is it needed?", "scale": [1, 5]},
        {
            "name": "evidence", "each": "steps", "ask": "Mark the words.",
            "mark": "paragraphs", "if": {"step": ["supported"]},
        },
    ],
}  # fmt: skip


def rated(passages: list[tuple[str, str]] = PASSAGES, **more: Any) -> list[dict[str, Any]]:
    """Two records."""
    question = "In which town was the builder of Lum Bridge born?"
    return [record(f"rated-{k}", question, passages, answers=["Wick Harrow"], extra={**MORE, **more}) for k in range(2)]


def rated_large() -> list[dict[str, Any]]:
    """Thirty steps and twenty passages of 300 words."""
    words = " ".join(text for _title, text in PASSAGES).split()
    text = " ".join((words * 10)[:300])
    steps = [f"Step {k}: {STEPS[k % 3]}" for k in range(30)]
    return rated([(f"Passage {k}", f"{k}. {text}") for k in range(20)], steps=steps)


def rated_hard() -> list[dict[str, Any]]:
    """Texts in any script with long words."""
    texts = [("", f"{HARD} keeps it. <b>&</b> {'Ünterbröt' * 20}\r\nand so on."), (HARD, f"שלדג sailed with {HARD}.")]
    return rated(texts, steps=[HARD, "שלדג " * 12, "W" * 90], system_a=HARD, system_b="שלדג")


KINDS = {f.__name__: f for f in (rated, rated_large, rated_hard)}
