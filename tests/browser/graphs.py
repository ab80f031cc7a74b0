"""Graphs for the browser tests: pairs and chains to judge, and compositions to choose from; all invented here."""

from __future__ import annotations

from collections import Counter
from typing import Any

from annotation.pure.derivations.composable_pairs import Index
from annotation.pure.derivations.single_hop import Single
from annotation.pure.text.named_entities import PlainCheck
from tests.single_hops import singlehop_examples

HARD = "Cafe\u0301 Ångstro\u0308m 👩‍👩‍👧 «مارا كويل»\u200f"


def pairs() -> list[dict[str, Any]]:
    """Composable pairs of the demo's island, of different entities."""
    singles = [
        Single(example.id, example.question, example.answers, example.paragraphs[0]) for example in singlehop_examples()
    ]
    index = Index(singles, PlainCheck())
    return [index.example(pair).as_json() for pair in index.pairs(seed=0, dropped=Counter(), per_entity=1)][:6]


def graph(name: str, hops: list[tuple[str, str, str, str]], **more: Any) -> dict[str, Any]:
    """A graph to compose; a hop is (question, answer, title, text)."""
    return {
        "id": name,
        "question": "",
        "paragraphs": [{"title": title, "text": text} for _q, _a, title, text in hops],
        "answers": [hops[-1][1]],
        "supports": list(range(len(hops))),
        "hops": [{"question": q, "answer": a, "support": k, "id": f"{name}-{k}"} for k, (q, a, *_) in enumerate(hops)],
        **more,
    }


def chain() -> list[dict[str, Any]]:
    """Two graphs with two edges, the second of texts in any script with long words."""
    plain = [
        ("Where was the smith born?", "Wick Harrow", "The smith", "The smith was born in Wick Harrow."),
        ("Who founded #1?", "Osla Brandt", "Wick Harrow", "Wick Harrow was founded by Osla Brandt."),
        ("Which ferry did #2 build?", "Lantern", "Osla Brandt", "Osla Brandt built the ferry Lantern."),
    ]
    hard = [
        (f"Who keeps the {'W' * 90}?", HARD, "", f"{HARD} keeps it. <b>&</b> {'Ünterbröt' * 30}\r\nand so on."),
        ("Who sailed with #1?", "שלדג", HARD, f"שלדג sailed with {HARD}."),
        ("What is #2 called?", "Heron", "שלדג", "The heron is called שלדג there."),
    ]
    return [graph("chain", plain), graph("hard", hard)]


def relations() -> list[dict[str, Any]]:
    """A graph whose hops are relations, as in MuSiQue's decompositions, and a composition of it."""
    hops = [
        ("Lantern >> builder", "Osla Brandt", "Lantern", "The ferry Lantern was built by Osla Brandt."),
        ("#1 >> sibling", "Iver Brandt", "Osla Brandt", "Osla Brandt and her brother Iver Brandt built boats."),
    ]
    asked = "Who is the brother of the builder of the Lantern?"
    return [graph("relations", hops, extra={"compositions": [asked, "Whose brother built it?"]}) | {"question": asked}]


def relation() -> list[dict[str, Any]]:
    """A relation as a question of its own."""
    text = "Osla Brandt and her brother Iver Brandt built boats."
    return [
        graph("relation", [("Osla Brandt >> sibling", "Iver Brandt", "Boats", text)])
        | {"question": "Osla Brandt >> sibling"}
    ]


def scripts() -> list[dict[str, Any]]:
    """The graph of `chain` with texts in any script."""
    return chain()[1:]


def strands() -> list[dict[str, Any]]:
    """One graph of two strands that meet: Petrel → Quell and Organ → Mellisand."""
    hops = [
        ("Who was captain of the Petrel?", "Mara Quell", "Petrel", "The Petrel sailed under Mara Quell for ten years."),
        (
            "In which town is the Tide Organ?",
            "Mellisand",
            "Tide Organ",
            "Mellisand keeps the Tide Organ in its wall.",
        ),
        (
            "What did #1 bring to #2?",
            "lemon trees",
            "Mara Quell",
            "Mara Quell brought lemon trees to Mellisand in 1774.",
        ),
    ]
    return [graph("strands", hops)]


def long() -> list[dict[str, Any]]:
    """One graph with paragraphs longer than any window, the mention of the entity far below."""
    much = "The tide came in and went out again, as it does. " * 60
    hops = [
        ("Who was captain of the Petrel?", "Mara Quell", "Petrel", f"{much}It sailed under Mara Quell.{much}"),
        ("Where was #1 born?", "Port Anselm", "Captains", f"{much}Mara Quell was born in Port Anselm."),
    ]
    return [graph("long", hops)]


def compositions() -> list[dict[str, Any]]:
    """Two graphs, each with three compositions."""
    hops = [
        ("Who built the ferry Lantern?", "Osla Brandt", "The Lantern", "The Lantern was built by Osla Brandt."),
        ("In which town was #1 born?", "Wick Harrow", "Osla Brandt", "Osla Brandt was born in Wick Harrow."),
    ]
    texts = [
        "In which town was the builder of the ferry Lantern born?",
        "Where was Osla Brandt, who built the Lantern, born?",
        f"What is the birthplace of the person who once, long before anybody spoke of it, built the Lantern? {HARD}",
    ]
    return [graph(f"ferry-{k}", hops, extra={"compositions": texts}) for k in range(2)]


KINDS = {f.__name__: f for f in (pairs, chain, relations, relation, scripts, strands, long, compositions)}
