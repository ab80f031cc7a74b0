"""An answer as text that a requester can read and edit, with its support, and words for "no answer"."""

from bisect import bisect_right

from annotation.pure.text.spans import Span, cut, locate
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, InvalidWording
from annotation.tasktype.helpers.answering import ONES_OWN, answer_text, completed, problems

NO_ANSWER = "no answer"  # this text, ignoring case, means that the paragraphs contain no answer


def wording(answer: JSON) -> str:
    """The answer as text."""
    return answer_text(answer) or NO_ANSWER


def reworded(payload: JSON, answer: JSON, text: str, *, no_answer: bool) -> JSON:
    """A stored answer from a requester's text, with the support of the answer that it replaces.

    Raises InvalidWording for an invalid text. Unchanged text keeps its position. If no paragraph of its support has
    the text, the one paragraph that contains it is added.
    """
    if text.strip() == wording(answer).strip() and not problems(payload, answer):
        return answer
    text = "" if no_answer and text.strip().casefold() == NO_ANSWER else text.strip()
    kept = {name: answer[name] for name in ("support", "facts", *ONES_OWN) if name in answer}
    changed = completed(payload, {"text": text, **kept})
    if changed["kind"] == "none" and no_answer:
        return changed
    changed = _supported(payload, _exact(payload, changed))
    for problem in problems(payload, changed):
        if problem.field != "text":
            raise InvalidWording(_("Start from a response that names its support."))
        if changed["kind"] == "typed":
            raise InvalidWording(_("“%(text)s” is not in any paragraph. Write it as it appears there."), text=text)
        raise InvalidWording(problem.message, **problem.values)
    return changed


def _exact(payload: JSON, answer: JSON) -> JSON:
    """A located answer with the paragraph's own spelling."""
    if answer["kind"] != "span":
        return answer
    span = Span(answer["paragraph"], answer["start"], answer["end"])
    return {**answer, "text": cut([p["text"] for p in payload["paragraphs"]], span)}


def _supported(payload: JSON, answer: JSON) -> JSON:
    paragraph = answer["paragraph"]
    if answer["kind"] != "span" or paragraph in answer["support"] or not payload["controls"]["support"]:
        return answer
    if sum(locate(answer["text"], [p["text"]]) is not None for p in payload["paragraphs"]) > 1:
        several = _("“%(text)s” is in several paragraphs. Start from a response that names its support.")
        raise InvalidWording(several, text=answer["text"])
    support = sorted([*answer["support"], paragraph])
    if not payload["controls"]["sentences"]:
        return {**answer, "support": support}
    starts = [start for start, _end in payload["paragraphs"][paragraph]["sentences"]]
    sentence = max(0, bisect_right(starts, answer["start"]) - 1)
    return {**answer, "support": support, "facts": sorted([*answer["facts"], [paragraph, sentence]])}
