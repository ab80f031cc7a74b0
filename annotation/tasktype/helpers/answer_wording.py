"""An answer as text that a requester can read and edit, with its support, and words for "no answer"."""

from __future__ import annotations

from bisect import bisect_right

from annotation.pure.text.spans import Span, cut, locate
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, UnfitWording
from annotation.tasktype.helpers.answering import completed, problems, said

NO_ANSWER = "no answer"  # these words, ignoring case, say that the paragraphs contain no answer
WRITES = _("The answer as written in a paragraph, or “no answer” if there is none. The support stays the same.")


def wording(answer: JSON) -> str:
    """The answer as text."""
    return said(answer) or NO_ANSWER


def reworded(payload: JSON, answer: JSON, text: str, *, no_answer: bool) -> JSON:
    """A stored answer from a requester's text, with the support of the answer that it replaces.

    Raises UnfitWording for an invalid text. Unchanged text keeps its position. If that answer had no support, the one
    paragraph that contains the text is the support.
    """
    if text.strip() == wording(answer).strip() and not problems(payload, answer):
        return answer
    text = "" if no_answer and text.strip().casefold() == NO_ANSWER else text.strip()
    made = completed(payload, {"text": text, "support": answer["support"], "facts": answer["facts"]})
    if made["kind"] == "none" and no_answer:
        return made
    made = _supported(payload, _exact(payload, made))
    for problem in problems(payload, made):
        if problem.field != "text":
            raise UnfitWording(_("Start from a response that names its support."))
        if made["kind"] == "typed":
            raise UnfitWording(_("“%(text)s” is not in any paragraph. Write it as it appears there."), text=text)
        raise UnfitWording(problem.message, **problem.values)
    return made


def _exact(payload: JSON, made: JSON) -> JSON:
    """A located answer with the paragraph's own spelling."""
    if made["kind"] != "span":
        return made
    span = Span(made["paragraph"], made["start"], made["end"])
    return {**made, "text": cut([p["text"] for p in payload["paragraphs"]], span)}


def _supported(payload: JSON, made: JSON) -> JSON:
    if made["kind"] != "span" or made["support"] or not payload["controls"]["support"]:
        return made
    paragraph = made["paragraph"]
    if sum(locate(made["text"], [p["text"]]) is not None for p in payload["paragraphs"]) > 1:
        several = _("“%(text)s” is in several paragraphs. Start from a response that names its support.")
        raise UnfitWording(several, text=made["text"])
    if not payload["controls"]["sentences"]:
        return {**made, "support": [paragraph]}
    starts = [start for start, _end in payload["paragraphs"][paragraph]["sentences"]]
    sentence = max(0, bisect_right(starts, made["start"]) - 1)
    return {**made, "support": [paragraph], "facts": [[paragraph, sentence]]}
