"""Answer a question from its context: an answer span and the supporting paragraphs (MuSiQue, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from annotation.pure import fuzzy, human_scores, metrics
from annotation.pure.example import Example
from annotation.pure.spans import Span, cut, locate
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Features, Given, Judged, Problem, TaskType
from tasks.answer.compare import compared
from tasks.answer.report import answer_report, said, support_of

KINDS = ("span", "yes", "no", "none", "option")


@dataclass(frozen=True, slots=True)
class Options:
    """Which controls the page has, the same for every item of a batch."""

    yes_no: bool = field(default=False, metadata={"label": _("Yes and no are answers")})
    no_answer: bool = field(default=False, metadata={"label": _("“No answer in the paragraphs” is an answer")})
    choices: bool = field(default=False, metadata={"label": _("The item's options are shown to choose from")})
    support: bool = field(default=True, metadata={"label": _("Supporting paragraphs are asked for")})
    sentences: bool = field(default=False, metadata={"label": _("Supporting sentences instead of paragraphs")})


def search(payload: JSON, asked: Mapping[str, str]) -> JSON:
    """Context of the search fragment: every shown paragraph, best match first."""
    query = asked.get("q", "")[:200]
    paragraphs = [(p["title"], p["text"]) for p in payload["paragraphs"]]
    matches = fuzzy.search(query, paragraphs) if query.strip() else []
    return {
        "query": query,
        "matches": matches,
        "matching": sum(m.score > 0 for m in matches),
        "total": len(paragraphs),
    }


class Answer(TaskType):
    kind = "answer"
    title = _("Answer questions")
    question = _("Answer the question from the paragraphs and tick the paragraphs that support your answer.")
    Options = Options
    live = {"search": search}

    def suggest(self, features: Features) -> JSON:
        return {
            "yes_no": features.yes_no,
            "no_answer": features.unanswerable,
            "choices": features.options,
            "support": features.paragraphs > 1,
        }

    def prepare(self, example: Example, options: Options, rng: Random) -> JSON | None:
        """Question and context without a trace of the gold; nothing to read or to choose skips the example."""
        if not example.question.strip() or not example.paragraphs:
            return None
        if options.sentences and any(p.sentences is None for p in example.paragraphs):
            return None
        return {
            "question": example.question,
            "paragraphs": [self._paragraph(p, options) for p in example.paragraphs],
            "options": list(example.options) if options.choices else [],
            "controls": {
                "yes_no": options.yes_no,
                "no_answer": options.no_answer,
                "options": options.choices,
                "support": options.support,
                "sentences": options.sentences,
            },
        }

    def _paragraph(self, paragraph: Any, options: Options) -> JSON:
        shown = {"title": paragraph.title, "text": paragraph.text}
        if options.sentences:
            shown["sentences"] = [list(span) for span in paragraph.sentence_spans()]
        return shown

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the paragraphs; `order[k]` is the payload's position of the paragraph shown as k."""
        order = list(range(len(payload["paragraphs"])))
        rng.shuffle(order)
        paragraphs = [payload["paragraphs"][k] for k in order]
        return {**payload, "paragraphs": paragraphs, "order": order}

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """An answer given elsewhere as {"text", "support": [positions]}, "" for no answer.

        "facts" may list [paragraph, sentence] positions; their paragraphs count as supporting.
        Text that stands in no paragraph is kept as typed: it was collected under other rules.
        """
        if not isinstance(answer, Mapping) or not isinstance(answer.get("text"), str):
            raise ValueError('needs {"text": ..., "support": [paragraph positions]}')
        support, facts = answer.get("support", []), answer.get("facts", [])
        size = len(payload["paragraphs"])
        if not isinstance(support, list) or not all(type(k) is int and 0 <= k < size for k in support):
            raise ValueError(f"support must list paragraph positions from 0 to {size - 1}")
        facts = _facts(facts, payload)
        given = {"facts": facts, "support": sorted({*support, *(p for p, _s in facts)})}
        return _placed(answer["text"], payload, given)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        problems = [*_answer_problems(payload, answer)]
        controls = payload["controls"]
        if controls["support"] and not answer["support"] and answer["kind"] != "none":
            where = "fact" if controls["sentences"] else "support"
            problems.append(Problem(where, _("Tick what your answer rests on: at least one paragraph.")))
        return problems

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority answer and, apart, the majority support; `tied` says that a tie stands."""
        if not answers:
            return {"kind": "undecided", "answers": 0}
        texts = human_scores.majorities(answers, key=lambda a: metrics.MUSIQUE.key(said(a)))
        supports = human_scores.majorities(answers, key=lambda a: frozenset(a["support"]))
        tied = len(texts) > 1 or len(supports) > 1
        return {**texts[0], "support": sorted(supports[0]["support"]), "answers": len(answers), "tied": tied}

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Answer F1; unanswerable gold wants "no answer"."""
        if gold.answerable is False:
            return float(answer["kind"] == "none")
        right = metrics.MUSIQUE.gold(gold.answers)
        return metrics.MUSIQUE.answer(said(answer), right).f1 if right else 0.0

    def report(self, judged: Iterable[Judged], options: Options, *, seed: int) -> JSON:
        return answer_report(judged, sentences=options.sentences, seed=seed)

    def export(self, example: Example, verdict: JSON) -> list[Example]:
        """The example with the people's answer and support in place of its own; undecided ones drop out."""
        if verdict["kind"] == "undecided" or verdict["tied"]:
            return []
        if verdict["kind"] == "none":
            return [replace(example, answerable=False)]
        answers = (said(verdict), *(a for a in example.answers if a != said(verdict)))
        return [replace(example, answers=answers, supports=tuple(verdict["support"]))]

    def compare(self, payload: JSON, given: Sequence[Given], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """1 less the mean of the expected agreements (F1) on the answer and on the support."""
        if len(answers) < 2:
            return 0.0
        scorer = metrics.MUSIQUE
        told = human_scores.question_scores([said(a) for a in answers], None, scorer=scorer)
        backed = human_scores.support_scores([support_of(a, "paragraph") for a in answers], None, scorer=scorer)
        return 1 - (told.agreement.f1 + backed.agreement.f1) / 2 if told.agreement and backed.agreement else 0.0


def _facts(facts: Any, payload: JSON) -> list[list[int]]:
    """Sorted [paragraph, sentence] positions; ValueError for others."""
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


def _placed(text: str, payload: JSON, given: JSON) -> JSON:
    """An answer from its text alone: yes, no and none by word, else where the text stands."""
    blank = {"text": text, "paragraph": None, "start": None, "end": None, "option": None, **given}
    if not text.strip():
        return blank | {"kind": "none", "text": ""}
    if text in payload["options"]:
        return blank | {"kind": "option", "option": payload["options"].index(text)}
    if text.strip().lower() in {"yes", "no"} and payload["controls"]["yes_no"]:
        return blank | {"kind": text.strip().lower(), "text": text.strip().lower()}
    texts = [p["text"] for p in payload["paragraphs"]]
    found = locate(text, texts, first=given["support"])
    if found is None:
        return blank | {"kind": "typed"}
    return blank | {"kind": "span", "paragraph": found.paragraph, "start": found.start, "end": found.end}


def _answer_problems(payload: JSON, answer: JSON) -> Iterable[Problem]:
    kind, controls = answer["kind"], payload["controls"]
    if kind not in (*KINDS, "typed") or (kind == "span" and not answer["text"].strip()):
        yield Problem("text", _("Give an answer: select it in a paragraph or type it."))
    elif kind == "typed":
        missing = _("“%(text)s” stands in no paragraph. Select the answer, or type it as it is written there.")
        yield Problem("text", missing, {"text": answer["text"]})
    elif kind == "span":
        span = Span(answer["paragraph"], answer["start"], answer["end"])
        if cut([p["text"] for p in payload["paragraphs"]], span) != answer["text"]:
            yield Problem("text", _("The selected text and its place do not match. Please select the answer again."))
    elif (kind in {"yes", "no"} and not controls["yes_no"]) or (kind == "none" and not controls["no_answer"]):
        yield Problem("text", _("This batch does not have that answer. Please choose another."))
    elif kind == "option" and answer["option"] not in range(len(payload["options"])):
        yield Problem("text", _("Choose one of the options."))


TASK: TaskType = Answer()
