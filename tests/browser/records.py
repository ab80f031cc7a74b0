"""The records that the browser tests ask about, as lines of the lossless JSONL format; all invented here."""

from __future__ import annotations

from typing import Any

from annotation.demo import encyclopedia

CANARY = "canary7f3a"

NASTY = {
    "Emoji": "The family 👨‍👩‍👧‍👦 waved the flags 🇳🇴🇸🇪 and 🏴󠁧󠁢󠁷󠁬󠁳󠁿, gave a 👍🏽 and a ❤️‍🔥, then went 🧗🏾‍♀️ home at 7️⃣.",
    "Combining": "Cafe\u0301 in de\u0301composed form, A\u030angstro\u0308m, Vie\u0323\u0302t Nam, and Z\u0351\u036b\u0343algo\u0328\u0304\u0301 stand here.",  # noqa: E501
    "العربية": "كَتَبَ الرَّبّانُ «مارا كويل» \u200fرسالةً\u200e إلى Port Anselm في عام 1912، ثم غادَرَ.",
    "עברית": "הַסְּפִינָה \u2067Grey Petrel\u2069 הגיעה לנמל \u202aAnselm\u202c בשעה 7:30, ואז הפליגה שוב.",
    "देवनागरी": "क्षत्रिय श्रीमती ज्योत्स्ना ने हिन्दी में निर्द्वन्द्व कविताएँ लिखीं और वृत्त पढ़ा।",
    "𝔐𝔞𝔱𝔥": "Let 𝒜 be a 𝔽-algebra with 𝛼 ∈ 𝒜 and 𝟚 ≠ 𝟘; then 𝑥𝑦 − 𝑦𝑥 = 𝜄, as 𐍈𐌿𐍄𐌹𐍃𐌺 and 𠮷野家 show.",
    "Line breaks": "First line\r\nsecond line\r\n\r\nthird\tline\rwith\u00a0odd\u2003spaces\u3000and\u2028separators\nlast line",  # noqa: E501
    "Markup": "A <b>tag</b> & an &amp; entity, \"quotes\" and 'more', &#13; and <script>alert(1)</script> stay text.",
    "\u202eReversed\u202c": "A title that turns round; \ufeffa mark of byte order, soft\u00adhyphens, zero\u200bwidth, and ﷽ to end with",  # noqa: E501
}


def record(name: str, question: str, paragraphs: list[tuple[str, str]], **gold: Any) -> dict[str, Any]:
    """A record with titled paragraphs; its gold is empty unless given."""
    shown = [{"title": title, "text": text} for title, text in paragraphs]
    return {"id": name, "question": question, "paragraphs": shown, "answers": [], "supports": [], "hops": []} | gold


def demo() -> list[dict[str, Any]]:
    return [example.as_json() for example in encyclopedia.examples(seed=0)[:6]]


def study() -> list[dict[str, Any]]:
    """Every third item of the demo's: all shapes and numbers of hops."""
    return [example.as_json() for example in encyclopedia.examples(seed=0)[::3]]


def nasty() -> list[dict[str, Any]]:
    return [record(f"nasty-{k}", "What is written here? 👩🏽‍🚀 שלום", list(NASTY.items())) for k in range(4)]


def sides() -> list[tuple[str, str]]:
    return [
        ("Lum Bridge", "Lum Bridge crosses the Lum at Farrow. Ana Brook built it. It is made of larch."),
        ("Tarn Bridge", "Tarn Bridge crosses the Tarn. Ana Brook built it too. It is made of stone."),
        ("Farrow", "Farrow lies on the Lum. It keeps a fair in May. Its mayor is elected by lot."),
    ]


def yesno() -> list[dict[str, Any]]:
    question = "Were Lum Bridge and Tarn Bridge built by the same person?"
    return [record("yes-0", question, sides(), answers=["yes"], supports=[0, 1])]


def unanswerable() -> list[dict[str, Any]]:
    return [record("none-0", "Who paid for Tarn Bridge?", sides(), answerable=False)]


def sentences() -> list[dict[str, Any]]:
    """The bridges with drawn sentences; the last one of Lum Bridge has an emoji before it."""
    asked = record("sentences-0", "Of what is the bridge at Farrow made?", [], answers=["larch"], supports=[0])
    cut = [text.split(". ") for _title, text in sides()]
    pieces = [[f"{piece.rstrip('.')}." for piece in each] for each in cut]
    pieces[0][1] = "Ana 🌉 Brooks built it."
    titles = [title for title, _text in sides()]
    asked["paragraphs"] = [{"title": t, "sentences": p} for t, p in zip(titles, pieces, strict=True)]
    return [asked | {"facts": [[0, 2]]}]


def choices() -> list[dict[str, Any]]:
    """Two questions with options about one text, as RACE has them."""
    text = "The ferry left at noon. Oda missed it because she had stopped to draw a heron, and she did not mind."
    options = ["She slept", "She drew a heron", "She lost her ticket", "The ferry was early"]
    made = record("choice-0", "Why did Oda miss the ferry?", [("", text)], answers=[options[1]], options=options)
    moods = ["Angry", "Sad", "Content", "Afraid"]
    second = record("choice-1", "How did Oda feel about it?", [("", text)], answers=["Content"], options=moods)
    return [made | {"supports": None}, second | {"supports": None}]


def canary() -> list[dict[str, Any]]:
    """Records all of whose gold, and all of whose names, are marked; no paragraph has it."""
    hop = {"question": f"Hop of {CANARY}?", "answer": f"Bridge {CANARY}", "support": 0, "id": f"hop-{CANARY}"}
    gold = {
        "answers": [f"Answer {CANARY}", f"Alias {CANARY}"],
        "supports": [0, 2],
        "hops": [hop, hop | {"support": 2}],
        "group": f"group-{CANARY}",
        "shape": f"shape-{CANARY}",
        "extra": {f"field-{CANARY}": f"value-{CANARY}"},
    }
    return [record(f"{CANARY}-{k}", f"What is left open, {k}?", sides(), **gold) for k in range(3)]


KINDS = {f.__name__: f for f in (demo, study, nasty, yesno, unanswerable, sentences, choices, canary)}
