"""What several responses add up to, and what becomes of it beside the original; feedback on practice items.

An item's `extra` has in `notes` the reason of each blank, `known_necessary`, and in `why` the reason of the decision.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from annotation.pure.data.example import Example
from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.decisions import Decision, decided, yes_no
from annotation.tasktype.helpers.practice_feedback import NECESSITY, note_of, why_of

from .words import NO_IDEA, Removed, key, matches, plain, removed_words

NECESSARY, UNNECESSARY = KINDS = ("necessary", "unnecessary")
DECISION = Decision(
    "necessary",
    yes_no(_("Necessary"), _("Not necessary"), labels=KINDS, words=(_("necessary"), _("not necessary"))),
    _("Are the removed words needed to decide on the answer?"),
    _("Say whether the answer depends on what was removed."),
)
GAMMA, DELTA = "gamma", "delta"
LEAST = 0.6  # the share of blanks from which a sentence is reconstructable
THRESHOLDS = (0.4, LEAST, 0.8)


def aggregated(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """{"kind": necessary, unnecessary, tied or undecided, "votes", "words", "paragraph", "blanks", "answers"}.

    `words` has {"word", "votes"} for each blank; the word is "" without a most frequent one.
    """
    result = decided(KINDS, [DECISION.label(answer) for answer in answers])
    return {
        "kind": result["kind"],
        "votes": result["votes"],
        "words": [counted([answer["words"][k] for answer in answers]) for k in range(len(payload["blanks"]))],
        "paragraph": payload["paragraph"],
        "blanks": list(payload["blanks"]),
        "answers": result["answers"],
    }


def counted(typed: Sequence[str]) -> JSON:
    """The most frequent of the words typed in one blank, in its most frequent form, and how often each was typed."""
    forms = [plain(word) or NO_IDEA for word in typed]
    # Lemmas are looked up only where workers typed different words.
    keys = forms if len(set(forms)) < 2 else [key(form) or NO_IDEA for form in forms]
    shown: dict[str, str] = {}
    for one in dict.fromkeys(keys):
        own = Counter(form for form, its in zip(forms, keys, strict=True) if its == one)
        shown[one] = own.most_common(1)[0][0]
    leading = most_said(keys)
    word = "" if leading in (None, NO_IDEA) else shown[str(leading)]
    return {"word": word, "votes": {shown[one]: count for one, count in Counter(keys).items()}}


def matched(words: Iterable[str], removed: Sequence[Removed]) -> list[bool]:
    """Whether each word is the removed one."""
    return [matches(word, one) for word, one in zip(words, removed, strict=True)]


def is_reconstructable(hits: Sequence[bool], least: float = LEAST) -> bool:
    return sum(hits) >= least * len(hits)


def class_of(hits: Sequence[bool], kind: str) -> str:
    """γ or δ (the paper's Section 5.2); "" for what is not reconstructable, or not decided."""
    if not is_reconstructable(hits) or kind not in KINDS:
        return ""
    return DELTA if kind == NECESSARY else GAMMA


KNOWN = "known_necessary"  # in `extra` of practice and hidden gold
MISSED = _("Blank %(n)s: the original has “%(gold)s”, not “%(typed)s”. %(why)s")
LEFT = _("Blank %(n)s: the original has “%(gold)s”. %(why)s")


def remarks(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    """Each word that is not the original's with the reason, or praise for all; then the decision."""
    removed = removed_words(payload, gold) or []
    words = answer["words"][: len(removed)]
    hits = matched(words, removed)
    for k, (typed, one, hit) in enumerate(zip(words, removed, hits, strict=True)):
        values = {"n": k + 1, "gold": one.text, "typed": typed, "why": note_of(gold, k)}
        if not hit:
            yield Remark(False, MISSED, values) if plain(typed) else Remark(None, LEFT, values)
    if all(hit or not plain(typed) for typed, hit in zip(words, hits, strict=True)) and any(hits):
        yield Remark(True, _("Right: your words are those of the original."))
    known = gold.extra.get(KNOWN)
    if isinstance(known, bool):
        right = answer["necessary"] is known
        yield Remark(right, NECESSITY[known, right], {"why": why_of(gold)})
