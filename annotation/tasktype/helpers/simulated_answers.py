"""Responses of simulated workers in dry runs, for tasks that ask for an answer and its support."""

from random import Random

from annotation.pure.data.example import Example
from annotation.pure.text.normalization import WORD
from annotation.pure.text.spans import locate
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import NEAR, answer_f1, is_closed_book
from annotation.tasktype.helpers.gold_answer import gold_answer

TRIES = 12  # attempts to draw a wrong span before a similar one is taken


def imitated(payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
    """A response as `completed` takes it: gold answer and support, or a mistake: other words, a missed support."""
    return _stated(payload, _answered(payload, gold, rng, right=right), rng, right=right)


def _stated(payload: JSON, answer: JSON, rng: Random, *, right: bool) -> JSON:
    """The answer with a date and a confidence, if they are asked for; the latter is mostly higher if it is right."""
    controls = payload["controls"]
    if controls.get("as_of"):
        answer = {**answer, "as_of": f"2024-05-{rng.randrange(1, 31):02}"}
    if controls.get("confidence"):
        answer = {**answer, "confidence": rng.randrange(10 * (4 if right else 1), 101, 5)}
    return answer


def _answered(payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
    if payload["controls"].get("several") and gold.answer_set:
        answers = [rng.choice(aliases) for aliases in gold.answer_set]
        lines = answers if right else [*answers[1:], "something else"]
        return {"text": "\n".join(lines), "support": [] if is_closed_book(payload) else list(gold.supports or ())}
    if is_closed_book(payload):
        return {"text": _remembered(payload, gold, rng, right=right)}
    text = gold_answer(payload, gold) if right else None
    if text is None:
        text = _slip(payload, gold, rng)
    support = list(gold.supports or ())
    if not right and rng.random() < 0.5:
        support = _misjudged(support, len(payload["paragraphs"]), rng)
    if text and not support:
        span = locate(text, [p["text"] for p in payload["paragraphs"]])
        support = [span.paragraph if span else 0]
    answer: JSON = {"text": text, "support": support if text else []}
    if payload["controls"]["sentences"] and text:
        facts = [list(fact) for fact in gold.facts or ()]
        answer["facts"] = facts if right and facts else [[place, 0] for place in answer["support"]]
    return answer


def _remembered(payload: JSON, gold: Example, rng: Random, *, right: bool) -> str:
    """An answer without paragraphs: gold, "" for not knowing, or one of the options or of the question's words."""
    if right and gold.answerable is not False and gold.answers:
        return next((answer for answer in gold.answers if answer in payload["options"]), gold.answers[0])
    if payload["controls"]["no_answer"] and (right or rng.random() < 0.5):
        return ""
    words = WORD.findall(gold.question) or ["?"]
    choices = payload["options"] or words
    return str(rng.choice([choice for choice in choices if choice not in gold.answers] or choices))


def _slip(payload: JSON, gold: Example, rng: Random) -> str:
    """Words of the context that are not the answer, or another of the options."""
    if others := [option for option in payload["options"] if option not in gold.answers]:
        return str(rng.choice(others))
    drawn = [words for _try in range(TRIES) if (words := _words(payload, rng))]
    wrong = [words for words in drawn if answer_f1({"kind": "span", "text": words}, gold) < NEAR]
    return (wrong or drawn or [""])[0]


def _words(payload: JSON, rng: Random) -> str:
    text = rng.choice(payload["paragraphs"])["text"] if payload["paragraphs"] else ""
    places = list(WORD.finditer(text))
    if not places:
        return ""
    first = rng.randrange(len(places))
    last = min(len(places) - 1, first + rng.randrange(3))
    return str(text[places[first].start() : places[last].end()])


def _misjudged(support: list[int], count: int, rng: Random) -> list[int]:
    """The support with one paragraph missing, or one too many."""
    extra = sorted(set(range(count)) - set(support))
    if len(support) > 1 and (not extra or rng.random() < 0.5):
        return sorted(set(support) - {rng.choice(support)})
    return sorted({*support, rng.choice(extra)}) if extra else support
