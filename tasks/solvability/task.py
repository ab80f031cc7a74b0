"""Is a question still solvable without some of its features, and are they guessable? (Sugawara et al. 2020)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.derivations.ablation import ABLATION, ORIGINAL
from annotation.pure.derivations.ablation_text import UNKNOWN
from annotation.pure.setting_fields import setting
from annotation.pure.statistics.metrics import ACCURACY, MUSIQUE
from annotation.pure.text.spans import Span, cut, locate
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Comparable,
    GivenResponse,
    HitWithResponses,
    Practised,
    Problem,
    Remark,
    Revealing,
    TaskType,
)
from annotation.tasktype.decisions import Decision, label_of
from annotation.tasktype.helpers.answering import position_of
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.helpers.lettered_text import Stretch, lettered
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

from .classes import BLANK, CLASSES, GUESSABLE, KNOWN, LABELS, NECESSARY, SOLVABLE, remarks, ruled
from .report import solvability_report

MOST_MARKS = 20
FOUND = "solvability"  # in `extra` of an exported example: the aggregated response


@dataclass(frozen=True, slots=True)
class SolvabilityOptions:
    """`show_original`: show the original after submission; the response can then no longer be changed."""

    show_original: bool = setting(
        False,
        label=_("Show the original after submission"),
        help=_("It is shown only after submission, when the response can no longer be changed."),
    )


class Solvability(Practised, Revealing, Comparable, DecisionTask):
    title = _("Judge ablated questions")
    question = _("Can the question still be solved, and can the removed features be guessed?")
    keys = by_action(
        *FRAME,
        *DECIDING,
        Key("yes", "y", _("Yes: solvable, guessable, necessary")),
        Key("no", "n", _("No: not solvable, guessable, necessary")),
        Key("answer", "a", _("Make the selected words the answer")),
        Key("rationale", "m", _("Add the selected words to the rationale")),
        Key(
            "select",
            "v",
            _("Select words by keys (← → word, ↑ ↓ line, ⇧ extend, ⏎ mark, Esc leave)"),
            _("select words"),
        ),
        Key("next", "j", _("Next paragraph"), _("paragraph")),
        Key("clear", "c", _("Clear answer and rationale")),
        Key("done", "d", _("Answer and rationale are complete: hide them and continue")),
    )
    of_ablations = True
    further = {"text": {"type": "string"}, "rationale": {"type": "array", "items": {"type": "string"}}}
    needs = _("Requires questions of which something was removed. Derive an ablation first.")
    Options = SolvabilityOptions
    labels = LABELS

    def decisions(self, payload: JSON) -> tuple[Decision, ...]:
        return SOLVABLE, GUESSABLE, NECESSARY

    def prepare(self, example: Example, options: SolvabilityOptions, rng: Random) -> JSON | None:
        """Question, context and options as they were ablated. Titles belong to contexts of several paragraphs only."""
        if not example.question.strip() or not example.paragraphs:
            return None
        several = len(example.paragraphs) > 1
        # without a word that an ablation left, nothing can be marked
        has_words = any(p.text.replace(UNKNOWN, "").strip() for p in example.paragraphs)
        return {
            "question": example.question,
            "paragraphs": [{"title": p.title if several else "", "text": p.text} for p in example.paragraphs],
            "options": list(example.options),
            "show_original": options.show_original,
        } | ({} if has_words else {"no_context": True})

    def afterwards(self, payload: JSON, example: Example) -> JSON | None:
        """The original, if the batch shows it and the dataset has it."""
        original = example.extra.get(ORIGINAL)
        return original if payload["show_original"] and isinstance(original, dict) else None

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        """The answer's problems come after whether there is one."""
        first, *others = self.decisions(payload)
        guessing = [problem for one in others for problem in one.problems(answer)]
        return [*first.problems(answer), *_solving(payload, answer), *(guessing or _contrary(answer))]

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response from elsewhere, or a model's prediction: {"text"}, "" for a question that it leaves unsolved."""
        if isinstance(answer, Mapping) and "solvable" in answer:
            return super().complete(payload, _made_elsewhere(payload, answer))
        if not isinstance(answer, Mapping) or not isinstance(answer.get("text"), str):
            raise ValueError('needs {"text": ...} or {"solvable": ..., "guessable": ..., "necessary": ...}')
        return {**BLANK, "solvable": bool(answer["text"].strip()), **_placed(answer["text"], payload)}

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The most frequent class ("tied" if two are equally frequent), and likewise solvability."""
        return ruled(answers)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        known = gold.extra.get(KNOWN)
        solvable = known is not False if right else known is False
        answer = next((one for text in gold.answers if (one := _placed(text, payload)).get("kind") != "typed"), {})
        if not solvable or not answer:
            return {**BLANK, "rationale": [], "solvable": False, "guessable": False}
        place = [answer["paragraph"], answer["start"], answer["end"]] if answer["kind"] == "span" else _first(payload)
        return {**BLANK, "rationale": [place], "solvable": True, "guessable": False, **answer}

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return isinstance(gold.extra.get(KNOWN), bool) or bool(gold.answers)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """1 or 0 for correct solvability if it is known; else the answer's F1 (accuracy with options)."""
        known = gold.extra.get(KNOWN)
        if isinstance(known, bool):
            return float(answer["solvable"] is known)
        if not answer["solvable"] or not gold.answers:
            return 0.0
        return (ACCURACY if gold.options else MUSIQUE).answer(answer["text"], gold.answers).f1

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Feedback on each decision, and on the answer of a solvable question."""
        return list(remarks(answer, gold))

    def report(self, hits: Iterable[HitWithResponses], options: SolvabilityOptions, *, seed: int) -> JSON:
        return {"task": self.kind, **solvability_report(hits, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """Every decided example with its aggregated response in `extra`."""
        if aggregate["kind"] not in CLASSES:
            return []
        result = {"class": aggregate["kind"], "solvable": aggregate["solvable"], "votes": aggregate["votes"]}
        return [replace(example, extra={**example.extra, FOUND: result})]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        texts = [p["text"] for p in payload["paragraphs"]]
        kept = ("text", "solvable", "guessable", "necessary")
        shown = [lettered(text, _answers_in(k, given)) for k, text in enumerate(texts)]
        columns = [
            {
                "class": label_of(LABELS, one.answer),
                **{name: one.answer[name] for name in kept},
                "rationale": [cut(texts, Span(*mark)) or "" for mark in one.answer["rationale"]],
            }
            for one in given
        ]
        ablation = gold.extra.get(ABLATION)
        number = ablation.get("number") if isinstance(ablation, dict) else None
        return {"columns": columns, "answers": list(gold.answers), "ablation": number, "texts": shown}


def _made_elsewhere(payload: JSON, answer: Mapping[str, Any]) -> JSON:
    """An imported response, completed with the positions of its text and of its rationale's lines."""
    texts, titles = [p["text"] for p in payload["paragraphs"]], [p["title"] for p in payload["paragraphs"]]
    if unknown := sorted(set(answer) - set(BLANK)):
        raise ValueError(f"has no field {unknown[0]}; it has {', '.join(BLANK)}")
    text, marks = answer.get("text", ""), answer.get("rationale", [])
    if not isinstance(text, str) or not isinstance(marks, list):
        raise ValueError('needs "text" as text and "rationale" as a list')
    whole = {**BLANK, **_placed(text, payload), **answer}
    if whole["paragraph"] is not None:
        whole["paragraph"] = position_of(whole["paragraph"], titles, "paragraph")
    if whole["kind"] == "span" and not all(type(whole[name]) is int for name in ("paragraph", "start", "end")):
        raise ValueError("a span needs paragraph, start and end; give the text alone, and it is looked for")
    whole["rationale"] = [_mark(mark, texts, titles) for mark in marks]
    return whole


def _mark(mark: Any, texts: list[str], titles: list[str]) -> list[int | None]:
    """[paragraph, start, end] of a line of the rationale, which may be its words."""
    if isinstance(mark, str):
        span = locate(mark, texts)
        return [None, None, None] if span is None else list(span)
    if not isinstance(mark, list) or len(mark) != 3 or not all(type(end) is int for end in mark[1:]):
        raise ValueError("rationale must list words of the text, or [paragraph, start, end]")
    return [position_of(mark[0], titles, "rationale"), *mark[1:]]


def _answers_in(place: int, given: Sequence[GivenResponse]) -> Iterator[Stretch]:
    for one in given:
        if one.answer["kind"] == "span" and one.answer["paragraph"] == place:
            yield one.answer["start"], one.answer["end"], one.worker


def _solving(payload: JSON, answer: JSON) -> Iterator[Problem]:
    if answer["solvable"] is not True:
        return
    texts = [p["text"] for p in payload["paragraphs"]]
    kind = answer["kind"]
    if payload["options"]:
        if kind != "option" or answer["option"] not in range(len(payload["options"])):
            yield Problem("text", _("Choose one of the options."))
    elif kind == "typed" and answer["text"].strip():
        missing = _("“%(text)s” is not in any paragraph. Select the answer, or type it as written there.")
        yield Problem("text", missing, {"text": answer["text"]})
    elif kind != "span" or not answer["text"].strip():
        yield Problem("text", _("Give the answer: select it in the text or type it."))
    elif cut(texts, Span(answer["paragraph"], answer["start"], answer["end"])) != answer["text"]:
        yield Problem("text", _("The selected text and its position do not match. Please select the answer again."))
    if not answer["rationale"] and not payload.get("no_context"):
        yield Problem("rationale", _("Mark what supports the answer."))
    elif len(answer["rationale"]) > MOST_MARKS:
        yield Problem("rationale", _("Please mark at most %(most)s passages."), {"most": MOST_MARKS})
    elif any(mark[0] is None or cut(texts, Span(*mark)) is None for mark in answer["rationale"]):
        message = _("A line of the rationale is not in any paragraph. Copy it exactly as written there.")
        yield Problem("rationale", message)


def _contrary(answer: JSON) -> Iterator[Problem]:
    if not answer["guessable"] and answer["necessary"] is not None:
        yield Problem("necessary", _("Whether it is necessary matters only if you can guess it."))
    elif answer["guessable"] and not answer["necessary"] and answer["solvable"] is False:
        contrary = _(
            "You said that the question cannot be solved without it. So it is either necessary, or the "
            "question is solvable."
        )
        yield Problem("necessary", contrary)


def _first(payload: JSON) -> list[int]:
    """The place of the first paragraph's text up to its first break."""
    text = payload["paragraphs"][0]["text"]
    return [0, len(text) - len(text.lstrip()), len(text.splitlines()[0]) if text.strip() else len(text)]


def _placed(text: str, payload: JSON) -> JSON:
    if text in payload["options"]:
        return {"kind": "option", "text": text, "option": payload["options"].index(text)}
    if not text.strip():
        return {}
    span = locate(text, [p["text"] for p in payload["paragraphs"]])
    return {"kind": "typed", "text": text} if span is None else {"kind": "span", "text": text, **span._asdict()}


TASK: TaskType = Solvability()
