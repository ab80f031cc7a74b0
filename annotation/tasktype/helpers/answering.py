"""Answering from paragraphs: functions shared by the tasks that ask for an answer and its support.

Payload: {"question", "paragraphs" [{"title", "text", "sentences"}], "options", "controls"}. A stored answer has
"kind" ("span", "yes", "no", "none", "option" or "typed"), "text", its position, "support" and "facts".
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.reports import human_scores
from annotation.pure.statistics import metrics
from annotation.pure.text import fuzzy_search, normalization
from annotation.pure.text.spans import Span, cut, locate
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, InvalidResponse, Problem

KINDS = ("span", "yes", "no", "none", "option")
Support = frozenset[Hashable]
SEVERAL = "several"  # a kind of answer: all answers to the question, one a line
ONES_OWN = ("confidence", "as_of")  # parts of a response that say something of one worker's answer only
NEAR = 0.5  # F1 from which an answer counts as a variant of gold


def answer_text(answer: JSON) -> str:
    """The answer as text; "" is "no answer"."""
    return "" if answer["kind"] == "none" else str(answer["text"])


def support_of(answer: JSON, level: str) -> Support:
    """Ticked paragraphs, or (paragraph, sentence) pairs."""
    if level == "sentence":
        return frozenset((p, s) for p, s in answer["facts"])
    return frozenset(answer["support"])


def gold_support(example: Example, level: str) -> Support | None:
    """The gold for `support_of`; None if the source hides it."""
    gold = example.facts if level == "sentence" else example.supports
    return None if gold is None else frozenset(gold)


def search(payload: JSON, params: Mapping[str, str]) -> JSON:
    """Context of the search fragment: every paragraph, best match first."""
    query = params.get("q", "")[:200]
    paragraphs = [(p["title"], p["text"]) for p in payload["paragraphs"]]
    matches = fuzzy_search.search(query, paragraphs) if query.strip() else []
    return {
        "query": query,
        "matches": matches,
        "matching": sum(m.score > 0 for m in matches),
        "total": len(paragraphs),
    }


def payload_of(example: Example, options: Any, *, no_answer: bool, closed_book: bool = False) -> JSON | None:
    """Question and context without gold; None, which skips the example, if there is nothing to read or choose.

    `options` are a batch's, with at least `yes_no`, `choices`, `support` and `sentences`. A closed-book payload has no
    paragraphs and asks for no support.
    """
    if not example.question.strip() or not (example.paragraphs or closed_book):
        return None
    sentences = options.sentences and not closed_book
    if sentences and any(p.sentences is None for p in example.paragraphs):
        return None
    return {
        "question": example.question,
        **({"as_of": example.as_of} if example.as_of else {}),
        "paragraphs": [] if closed_book else [_paragraph(p, options) for p in example.paragraphs],
        "options": list(example.options) if options.choices else [],
        "controls": {
            "yes_no": options.yes_no,
            "no_answer": no_answer,
            "options": options.choices,
            "support": options.support and not closed_book,
            "sentences": sentences,
        },
    }


def with_confidence(payload: JSON) -> JSON:
    """The payload of a page that also asks how sure workers are, from 0 to 100."""
    return {**payload, "controls": {**payload["controls"], "confidence": True}}


def with_answer_set(payload: JSON) -> JSON:
    """The payload of a page that asks for all answers, one a line."""
    return {**payload, "options": [], "controls": {**payload["controls"], "several": True, "yes_no": False}}


def with_date(payload: JSON) -> JSON:
    """The payload of a page that asks for the date for which the answer holds."""
    return {**payload, "controls": {**payload["controls"], "as_of": True}}


def ones_own(payload: JSON, answer: Mapping[str, Any]) -> JSON:
    """Those of ONES_OWN that the batch asks for, as given elsewhere; None stays. ValueError for another value."""
    stated = {name: answer[name] for name in ONES_OWN if payload["controls"].get(name) and name in answer}
    confidence, day = stated.get("confidence"), stated.get("as_of")
    if confidence is not None and not (type(confidence) is int and 0 <= confidence <= 100):
        raise ValueError("confidence must be a whole number from 0 to 100")
    if day is not None and not is_date(day):
        raise ValueError("as_of must be a date such as 2024-05-31")
    return stated


def is_date(given: Any) -> bool:
    """Whether it is a day as YYYY-MM-DD."""
    try:
        return isinstance(given, str) and len(given) == len("2024-05-31") and bool(date.fromisoformat(given))
    except ValueError:
        return False


def needs_confidence(payload: JSON, answer: JSON) -> bool:
    """Whether a response states a confidence: “I do not know” has none."""
    unknown = is_closed_book(payload) and answer["kind"] == "none"
    return bool(payload["controls"].get("confidence")) and not unknown


def is_closed_book(payload: JSON) -> bool:
    """Whether workers answer from what they know: no other payload is without paragraphs."""
    return payload.get("paragraphs") == []


def _paragraph(paragraph: Paragraph, options: Any) -> JSON:
    shown: JSON = {"title": paragraph.title, "text": paragraph.text}
    if options.sentences:
        shown["sentences"] = [list(span) for span in paragraph.sentence_spans()]
    return shown


def shuffled(payload: JSON, part: str, rng: Random) -> JSON:
    """The payload with one of its lists in a random order; `order[k]` is the original position of the k-th element."""
    order = list(range(len(payload[part])))
    rng.shuffle(order)
    return {**payload, part: [payload[part][k] for k in order], "order": order}


def unshuffled(shown: JSON, place: Any) -> Any:
    """The payload's position of what a shuffled payload shows at `place`; what is no such position stays as it is."""
    order = shown.get("order", ())
    return order[place] if type(place) is int and 0 <= place < len(order) else place


def completed(payload: JSON, answer: Any) -> JSON:
    """The stored form of an answer collected elsewhere as {"text", "support": [paragraphs]}, "" for no answer.

    Closed-book support is left out. Paragraphs are positions or titles. "facts" may list [paragraph, sentence
    position]; their paragraphs count as supporting. "paragraph", "start" and "end" may give the text's position. Text
    that is in no paragraph is kept as typed, because it was collected under other rules.
    """
    if not isinstance(answer, Mapping) or not isinstance(answer.get("text"), str):
        raise ValueError('needs {"text": ..., "support": [paragraph positions or titles]}')
    stated = ones_own(payload, answer)
    if is_closed_book(payload):  # models' predictions may name support
        return _placed(answer["text"], payload, {"facts": [], "support": [], **stated})
    support, facts = answer.get("support", []), answer.get("facts", [])
    if not isinstance(support, list):
        raise ValueError("support must list paragraphs by position or title")
    titles = [paragraph["title"] for paragraph in payload["paragraphs"]]
    places, facts = [position_of(place, titles, "support") for place in support], _facts(facts, payload)
    given = {"facts": facts, "support": sorted({*places, *(p for p, _s in facts)}), **stated}
    return _told_place(answer, payload, given) or _placed(answer["text"], payload, given)


def _told_place(answer: Mapping[str, Any], payload: JSON, given: JSON) -> JSON | None:
    """The answer at the position that it gives, if its text is there."""
    start, end = answer.get("start"), answer.get("end")
    if type(start) is not int or type(end) is not int or not answer["text"].strip():
        return None
    paragraph = position_of(answer.get("paragraph"), [p["title"] for p in payload["paragraphs"]], "paragraph")
    if cut([p["text"] for p in payload["paragraphs"]], Span(paragraph, start, end)) != answer["text"]:
        return None
    place = {"paragraph": paragraph, "start": start, "end": end, "option": None}
    return {"kind": "span", "text": answer["text"], **place, **given}


def problems(payload: JSON, answer: JSON) -> list[Problem]:
    """Problems of an answer and its support."""
    result = [*_answer_problems(payload, answer)]
    controls = payload["controls"]
    if controls["support"] and not answer["support"] and answer["kind"] != "none":
        where = "fact" if controls["sentences"] else "support"
        result.append(Problem(where, _("Tick at least one paragraph that supports your answer.")))
    if needs_confidence(payload, answer) and answer.get("confidence") not in range(101):
        result.append(Problem("confidence", _("Say how sure you are, with a number from 0 to 100.")))
    if controls.get("as_of") and answer["kind"] != "none" and not is_date(answer.get("as_of")):
        result.append(Problem("as_of", _("Give the date for which your answer holds.")))
    return result


def majority(answers: Sequence[JSON]) -> tuple[JSON, bool]:
    """The majority answer, separately the majority support, and whether there is a tie. ValueError without answers."""
    texts = human_scores.majorities(answers, key=answer_key)
    supports = human_scores.majorities(answers, key=lambda a: frozenset(a["support"]))
    chosen = {name: value for name, value in texts[0].items() if name not in ONES_OWN}
    return {**chosen, "support": sorted(supports[0]["support"])}, len(texts) > 1 or len(supports) > 1


def answer_key(answer: JSON) -> str:
    """The answer's text folded: answers with equal keys count as the same in a vote."""
    if answer["kind"] == SEVERAL:
        return metrics.key(answer["text"])
    return normalization.answer_key(answer_text(answer))


def doubted(answers: Sequence[JSON], gold: Example) -> JSON | None:
    """The normalised answer of at least two and more than half of the workers, if it is far from gold; else None.

    Far: F1 below 0.5 with every gold answer, or an answer to an unanswerable question, or the reverse.
    """
    unanswerable = gold.answerable is False
    if gold.answer_set or any(answer["kind"] == SEVERAL for answer in answers):
        return None
    if not answers or not (gold.answers or unanswerable):
        return None
    texts = [answer_text(answer) for answer in answers]
    key, votes = Counter(map(normalization.answer_key, texts)).most_common(1)[0]
    if votes < 2 or 2 * votes <= len(texts):
        return None
    text = Counter(text for text in texts if normalization.answer_key(text) == key).most_common(1)[0][0].strip()
    if text and not unanswerable:
        near = answer_f1({"kind": "typed", "text": text}, gold) >= NEAR
    else:
        near = bool(text) != bool(unanswerable)
    return None if near else {"text": text, "votes": votes, "answers": len(texts)}


def answer_f1(answer: JSON, gold: Example) -> float:
    """F1 against the dataset's answers, in any spelling (`normalization`); 0 if they are hidden."""
    right = metrics.MUSIQUE.gold([normalization.fold(each) for each in gold.answers])
    return metrics.MUSIQUE.answer(normalization.fold(answer_text(answer)), right).f1 if right else 0.0


def measured(payload: JSON, answer: JSON, gold: Example, *, format: str) -> dict[str, float]:
    """EM and F1 of answer and support, by the scorer of the dataset's format and on paragraphs.

    The right response to an unanswerable question is "no answer"; hidden gold gives no measures.
    """
    scorer = metrics.scorer_for(format)
    scores: dict[str, float] = {}
    if gold.answer_set:
        found = metrics.accuracy(answer_text(answer), gold.answer_set)
        scores |= {"loose": found.loose, "strict": found.strict}
    right = scorer.gold(gold.answers)
    if gold.answerable is False:
        scores |= dict.fromkeys(("answer_f1", "answer_em"), float(answer["kind"] == "none"))
    elif right:
        answer_score = scorer.answer(answer_text(answer), right)
        scores |= {"answer_f1": answer_score.f1, "answer_em": answer_score.em}
    supports = gold_support(gold, "paragraph")
    if supports is not None and gold.answerable is not False and not is_closed_book(payload):
        backed = scorer.support(support_of(answer, "paragraph"), supports)
        scores |= {"support_f1": backed.f1, "support_em": backed.em}
    return scores


def answered(example: Example, answer: JSON) -> Example:
    """The example with the workers' answer and support in place of its own."""
    if answer["kind"] == SEVERAL:
        lines = tuple((line,) for line in metrics.lines_of(answer["text"]))
        return replace(example, answer_set=lines, supports=tuple(answer["support"]))
    answers = (answer_text(answer), *(a for a in example.answers if a != answer_text(answer)))
    return replace(example, answers=answers, supports=tuple(answer["support"]))


def disagreement(answers: Sequence[JSON]) -> float:
    """1 minus the mean of the expected agreement (F1) on the answer and on the support."""
    if len(answers) < 2:
        return 0.0
    scorer = metrics.MUSIQUE
    texts = human_scores.question_scores([answer_text(a) for a in answers], None, scorer=scorer)
    backed = human_scores.support_scores([support_of(a, "paragraph") for a in answers], None, scorer=scorer)
    return 1 - (texts.agreement.f1 + backed.agreement.f1) / 2 if texts.agreement and backed.agreement else 0.0


def _facts(facts: Any, payload: JSON) -> list[list[int]]:
    """Sorted [paragraph, sentence] positions; ValueError for others."""
    titles = [paragraph["title"] for paragraph in payload["paragraphs"]]
    if isinstance(facts, list) and all(isinstance(fact, list) and len(fact) == 2 for fact in facts):
        facts = [[position_of(p, titles, "facts") if isinstance(p, str) else p, s] for p, s in facts]
    if not isinstance(facts, list) or not all(_is_fact(fact, payload["paragraphs"]) for fact in facts):
        raise ValueError("facts must list [paragraph, sentence] positions of the context")
    return [list(pair) for pair in sorted({(p, s) for p, s in facts})]


def _is_fact(fact: Any, paragraphs: Sequence[JSON]) -> bool:
    if not isinstance(fact, list) or [type(k) for k in fact] != [int, int]:
        return False
    paragraph, sentence = fact
    if not 0 <= paragraph < len(paragraphs) or sentence < 0:
        return False
    return sentence < len(paragraphs[paragraph].get("sentences", ())) or "sentences" not in paragraphs[paragraph]


def wrong_answer(answer: JSON, gold: Example, *, format: str) -> str | None:
    """The answer as its scorer compares it, "" for no answer; None if it is a variant of gold, or gold is unknown."""
    scorer = metrics.scorer_for(format)
    golds = ("",) if gold.answerable is False else scorer.gold(gold.answers, gold.answerable)
    if not golds or gold.answer_set:
        return None
    text = answer_text(answer)
    score = scorer.answer(text, golds)
    return None if score.em or score.f1 >= NEAR else scorer.key(text)


def words_of_support(gold: Example) -> int | None:
    """How many words the supporting paragraphs have; None if none is known."""
    return sum(len(gold.paragraphs[place].text.split()) for place in gold.supports or ()) or None


def _placed(text: str, payload: JSON, given: JSON) -> JSON:
    """An answer from its text: yes, no and none by word, else located in the paragraphs."""
    blank = {"text": text, "paragraph": None, "start": None, "end": None, "option": None, **given}
    if not text.strip():
        return blank | {"kind": "none", "text": ""}
    if payload["controls"].get("several"):
        return blank | {"kind": SEVERAL, "text": "\n".join(metrics.lines_of(text))}
    if text in payload["options"]:
        return blank | {"kind": "option", "option": payload["options"].index(text)}
    if text.strip().lower() in {"yes", "no"} and payload["controls"]["yes_no"]:
        return blank | {"kind": text.strip().lower(), "text": text.strip().lower()}
    texts = [p["text"] for p in payload["paragraphs"]]
    span = locate(text, texts, first=given["support"])
    if span is None:
        return blank | {"kind": "typed"}
    return blank | {"kind": "span", "paragraph": span.paragraph, "start": span.start, "end": span.end}


def _answer_problems(payload: JSON, answer: JSON) -> Iterable[Problem]:
    kind, controls = answer["kind"], payload["controls"]
    if controls.get("several") and kind != "none":
        if kind != SEVERAL or not answer["text"].strip():
            yield Problem("text", _("Give all answers, one per line."))
    elif kind not in (*KINDS, "typed") or (kind in {"span", "typed"} and not answer["text"].strip()):
        words = (
            _("Type your answer.")
            if is_closed_book(payload)
            else _("Give an answer: select it in a paragraph or type it.")
        )
        yield Problem("text", words)
    elif kind == "typed" and not (is_closed_book(payload) or controls.get("own_words")):
        missing = _("“%(text)s” is not in any paragraph. Select the answer, or type it as written there.")
        yield Problem("text", missing, {"text": answer["text"]})
    elif kind == "span":
        span = Span(answer["paragraph"], answer["start"], answer["end"])
        if cut([p["text"] for p in payload["paragraphs"]], span) != answer["text"]:
            yield Problem("text", _("The selected text and its position do not match. Please select the answer again."))
    elif (kind in {"yes", "no"} and not controls["yes_no"]) or (kind == "none" and not controls["no_answer"]):
        yield Problem("text", _("This answer is not available in this batch. Please choose another."))
    elif kind == "option" and answer["option"] not in range(len(payload["options"])):
        yield Problem("text", _("Choose one of the options."))


def position_of(value: Any, names: Sequence[str], field: str) -> int:
    """The 0-based position of a number or a name in an imported response. Raises InvalidResponse at that field."""
    if type(value) is int and 0 <= value < len(names):
        return value
    values = {"told": repr(value)[:80], "last": len(names) - 1}
    if isinstance(value, str) and names.count(value) == 1:
        return names.index(value)
    if isinstance(value, str) and value in names:
        raise InvalidResponse(Problem(field, _("%(told)s appears more than once; give a position from 0"), values))
    message = _("%(told)s is neither a position from 0 to %(last)s nor the title of a paragraph")
    raise InvalidResponse(Problem(field, message, values))
