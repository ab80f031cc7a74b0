"""What several responses add up to, and what becomes of it beside the original."""

from collections import Counter
from collections.abc import Iterable, Sequence

from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON
from annotation.tasktype.decisions import Decision, decided, yes_no

from .words import NO_IDEA, Removed, key, matches, plain

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
