"""An answer in words, as a requester reads and writes it: text, support kept, and words for "no answer"."""

from __future__ import annotations

from bisect import bisect_right

from annotation.pure.spans import Span, cut, locate
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Unfit
from tasks._answering import completed, problems, said

NO_ANSWER = "no answer"  # these words, in any case, say that the paragraphs hold none
WRITES = _("The answer as it stands in a paragraph; “no answer” where there is none. The support stays.")


def wording(answer: JSON) -> str:
    """The answer in words."""
    return said(answer) or NO_ANSWER


def reworded(payload: JSON, answer: JSON, text: str, *, no_answer: bool) -> JSON:
    """An answer at rest from a requester's words, with the support of the answer that they replace; Unfit otherwise.

    Unchanged words keep their place. Where that answer ticked nothing, the one paragraph with the words is the support.
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
            raise Unfit(_("Begin from an answer that names its support."))
        if made["kind"] == "typed":
            raise Unfit(_("“%(text)s” stands in no paragraph. Write it as it stands there."), text=text)
        raise Unfit(problem.message, **problem.values)
    return made


def _exact(payload: JSON, made: JSON) -> JSON:
    """A found answer in the paragraph's own letters."""
    if made["kind"] != "span":
        return made
    span = Span(made["paragraph"], made["start"], made["end"])
    return {**made, "text": cut([p["text"] for p in payload["paragraphs"]], span)}


def _supported(payload: JSON, made: JSON) -> JSON:
    if made["kind"] != "span" or made["support"] or not payload["controls"]["support"]:
        return made
    paragraph = made["paragraph"]
    if sum(locate(made["text"], [p["text"]]) is not None for p in payload["paragraphs"]) > 1:
        several = _("“%(text)s” stands in several paragraphs. Begin from an answer that names its support.")
        raise Unfit(several, text=made["text"])
    if not payload["controls"]["sentences"]:
        return {**made, "support": [paragraph]}
    starts = [start for start, _end in payload["paragraphs"][paragraph]["sentences"]]
    sentence = max(0, bisect_right(starts, made["start"]) - 1)
    return {**made, "support": [paragraph], "facts": [[paragraph, sentence]]}
