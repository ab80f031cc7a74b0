"""The aggregated response, and what it says against gold: does answering the question take all of its hops?"""

from collections import Counter
from collections.abc import Sequence

from annotation.pure.data.example import Example, Hop
from annotation.pure.derivations.subquestions import matches_partially
from annotation.pure.reports import human_scores
from annotation.tasktype import JSON, RelatedResponses
from annotation.tasktype.helpers.answering import answer_key, answer_text

from .steps import FREE, KIND, KINDS, final

DECIDED, TIED, UNDECIDED = "decided", "tied", "undecided"
FULLY_CITED, UNDER_CITED, SHORTCUT, KNOWN, WRONG = "fully_cited", "under_cited", "shortcut", "known", "wrong"
STATUSES = (FULLY_CITED, UNDER_CITED, SHORTCUT, KNOWN, WRONG, UNDECIDED)


def aggregate(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """{"arm", "kind", "text", "votes", "cited", "answers"}; of `kind` {"arm", "kind", "votes", "answers"}.

    The most frequent answer to the whole question, equal after normalising, and the paragraphs that more than half of
    those who gave it tick in any step. If a requester accepted responses, only these count.
    """
    settled = [answer for answer in answers if answer.get("accepted")] or list(answers)
    counts: JSON = {"arm": payload["arm"], "kind": UNDECIDED, "answers": len(settled)}
    if payload["arm"] == KIND:
        votes = {kind: sum(answer["kind"] == kind for answer in settled) for kind in KINDS}
        leading = [kind for kind in KINDS if votes[kind] == max(votes.values())]
        return counts | {"votes": votes} | ({"kind": leading[0] if len(leading) == 1 else TIED} if settled else {})
    counts |= {"text": "", "votes": 0, "cited": []}
    given = [(hop, answer) for answer in settled if (hop := final(payload, answer)) is not None]
    if not given:
        return counts
    texts = human_scores.majorities([hop for hop, _answer in given], key=answer_key)
    agreeing = [answer for hop, answer in given if answer_key(hop) == answer_key(texts[0])]
    ticked = Counter(place for answer in agreeing for place in {p for hop in answer["hops"] for p in hop["support"]})
    return counts | {
        "kind": DECIDED if len(texts) == 1 else TIED,
        "text": answer_text(texts[0]),
        "votes": len(agreeing),
        "cited": sorted(place for place, count in ticked.items() if 2 * count > len(agreeing)),
    }


def is_right(text: str, golds: Sequence[str]) -> bool:
    """Whether an answer matches one of gold's, as Tang et al. match partially (PM)."""
    return any(matches_partially(text, gold) for gold in golds)


def gold_paragraphs(example: Example) -> list[int]:
    """The positions of the paragraphs that the hops rest on."""
    hops = [hop.support for hop in example.hops if hop.support is not None]
    return sorted({*hops, *(example.supports or ())})


def status(example: Example, found: JSON, elsewhere: Sequence[RelatedResponses] = ()) -> str:
    """One of STATUSES for an aggregated response of `free`; "" for other arms. A dataset made of results before this
    name was given says "connected" for `fully_cited`.
    """
    if found["arm"] != FREE:
        return ""
    if found["kind"] != DECIDED or not example.answers:
        return UNDECIDED
    if not is_right(found["text"], example.answers):
        return WRONG
    withheld, closed = answered_without(example, found["cited"], elsewhere)
    if closed:
        return KNOWN
    if not uncited(example, found["cited"]):
        return FULLY_CITED
    return SHORTCUT if (withheld, closed) == (True, False) else UNDER_CITED


def uncited(example: Example, cited: Sequence[int]) -> list[int]:
    """The gold paragraphs that are not cited."""
    return [place for place in gold_paragraphs(example) if place not in cited]


def answered_without(
    example: Example, cited: Sequence[int], elsewhere: Sequence[RelatedResponses]
) -> tuple[bool | None, bool | None]:
    """Whether the majority is right with the uncited gold paragraphs withheld, and closed-book; None: not known."""
    away = [example.paragraphs[place] for place in uncited(example, cited)]
    missing = {(paragraph.title, paragraph.text) for paragraph in away}
    withheld: list[JSON] = []
    closed: list[JSON] = []
    for other in elsewhere:
        shown = {(each.get("title"), each.get("text")) for each in other.payload.get("paragraphs", ())}
        asks = other.payload.get("question") == example.question and "controls" in other.payload
        if asks and other.task == "answer":
            (closed if not shown else withheld if not shown & missing else []).extend(other.answers)
    return _is_majority_right(example, withheld), _is_majority_right(example, closed)


def _is_majority_right(example: Example, answers: Sequence[JSON]) -> bool | None:
    texts = human_scores.majorities(answers, key=answer_key) if answers else []
    if not texts:
        return None
    return len(texts) == 1 and is_right(answer_text(texts[0]), example.answers)


def aligned(hops: Sequence[JSON], gold: Sequence[Hop]) -> list[JSON | None]:
    """For each gold hop the written one that cites its paragraph, else one with its answer; each once."""
    left = list(hops)
    found: list[JSON | None] = [None] * len(gold)
    for k, hop in enumerate(gold):
        found[k] = _taken(left, [one for one in left if hop.support in one["support"]], hop)
    for k, hop in enumerate(gold):
        if found[k] is None:
            found[k] = _taken(left, [one for one in left if is_right(answer_text(one), [hop.answer])], hop)
    return found


def _taken(left: list[JSON], fitting: Sequence[JSON], hop: Hop) -> JSON | None:
    """The best of the fitting hops, taken out of those that are left: one with the right answer, else the first."""
    best = next((one for one in fitting if is_right(answer_text(one), [hop.answer])), next(iter(fitting), None))
    if best is not None:
        left.remove(best)
    return best
