"""The checks of a composed question at the batch's levels, and their messages."""

from collections.abc import Mapping, Sequence

from annotation.pure.data.example import Hop
from annotation.pure.text import composed_question_checks
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON

MOST_HOPS = 4
IDS = (
    *composed_question_checks.CHECKS,
    *(f"{check}-{hop}" for check in composed_question_checks.CHECKS for hop in range(1, MOST_HOPS + 1)),
)

# The places are %(words)s, %(hop)s, %(n)s (words of the question) and %(most)s.
MESSAGES = {
    "gives_away": _("“%(words)s” gives away the answer of hop %(hop)s. Describe it instead of naming it."),
    "gives_away_final": _("“%(words)s” gives away the final answer. Readers should have to find it."),
    "repeats_hop": _("This repeats the question of hop %(hop)s. Combine all the hops into one question."),
    "hop_missing": _("The question does not ask enough about hop %(hop)s. Missing words: %(words)s."),
    "too_long": _("The question has %(n)s words; the limit is %(most)s. Can you shorten it?"),
    "no_question_mark": _("There is no question mark."),
    "sentences": _("There are more than two sentences. Use one, or two at most."),
}
SHOWN = 8  # words in a message


def hops_of(payload: JSON) -> list[Hop]:
    return [Hop(hop["question"], hop["answer"]) for hop in payload["hops"]]


def findings_of(payload: JSON, question: str, overrides: Mapping[str, str] | None = None) -> list[JSON]:
    """The findings that are not switched off, errors first.

    Each is {"id", "check", "level", "hop", "spans", "words", "message", "values", "overridden", "reason"}; a reason
    overrides warnings only.
    """
    findings = composed_question_checks.findings(question, hops_of(payload), most_words=payload["most_words"])
    kept = [_finding_json(payload, question, finding, overrides or {}) for finding in findings]
    return sorted((f for f in kept if f["level"] in ("error", "warning")), key=lambda f: f["level"] != "error")


def _finding_json(
    payload: JSON, question: str, finding: composed_question_checks.Finding, overrides: Mapping[str, str]
) -> JSON:
    level = payload["checks"].get(finding.check, composed_question_checks.LEVELS[finding.check])
    reason = overrides.get(finding.id, "").strip() if level == "warning" else ""
    return {
        "id": finding.id,
        "check": finding.check,
        "level": level,
        "hop": finding.hop,
        "spans": [list(span) for span in finding.spans],
        "words": list(finding.words),
        "message": MESSAGES[finding.check],
        "values": {
            "hop": finding.hop,
            "words": _joined(finding.words),
            "n": len(question.split()),
            "most": payload["most_words"],
        },
        "overridden": bool(reason),
        "reason": reason,
    }


def _joined(words: Sequence[str]) -> str:
    unlike = list(dict.fromkeys(words))
    return ", ".join(unlike[:SHOWN]) + (" …" if len(unlike) > SHOWN else "")


def coverage(payload: JSON, question: str) -> list[JSON]:
    """[{"hop", "words": [{"text", "used"}], "skipped"}]: the words of every hop's question that the question uses."""
    rows = composed_question_checks.coverage(question, hops_of(payload))
    return [
        {"hop": row.hop, "words": [{"text": text, "used": used} for text, used in row.words], "skipped": row.skipped}
        for row in rows
    ]


def checks(payload: JSON, query: Mapping[str, str]) -> JSON:
    """Context of `_checks.html` for the question `q` and the reasons `override-<id>`.

    {"question", "findings" (as `found`), "coverage", "words", "errors", "warnings" (without those overridden)}.
    """
    question = query.get("q", "")[:MOST_CHARACTERS]
    prefix = "override-"
    overrides = {name.removeprefix(prefix): text for name, text in query.items() if name.startswith(prefix)}
    findings = findings_of(payload, question, overrides) if question.strip() else []
    return {
        "question": question,
        "findings": findings,
        "coverage": coverage(payload, question),
        "words": len(question.split()),
        "errors": sum(f["level"] == "error" for f in findings),
        "warnings": sum(f["level"] == "warning" and not f["overridden"] for f in findings),
    }


MOST_CHARACTERS = 2_000  # of a question
