"""The paragraph of a methods section: what is recorded of a batch, in sentences. What is not known is not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure import tables
from annotation.pure.tables import counted_sentence
from annotation.pure.words import gettext_noop as _
from annotation.pure.worker_intervals import whom

Sentence = dict[str, Any]  # {"message": gettext id, "values"}; annotation/pure/tables.py says it


@dataclass(frozen=True, slots=True)
class Facts:
    """A batch as its rows have it; what nobody recorded stays at its default."""

    question: str = ""  # what annotators were asked: a gettext id
    hits: int = 0  # without hidden gold
    datasets: tuple[tuple[str, int], ...] = ()  # name and HITs
    hops: tuple[tuple[int, int], ...] = ()  # number of hops (0: not known) and HITs of so many
    per_hit: tuple[int, int] = (0, 0)  # different annotators for an item: the fewest and the most asked for
    unanswered: int = 0  # HITs that count and have no answer
    answers: int = 0
    workers: int = 0
    counted_workers: int = 0  # those with an answer that figures count
    first: str = ""  # days of the first and the last answer that was given here, in UTC
    last: str = ""
    imported: int = 0  # answers that were given elsewhere
    chosen: int = 0  # annotators let in by name
    marketplace: str = ""
    requirements: tuple[str, ...] = ()
    rounds: tuple[tuple[str, int, int], ...] = ()  # title, who took it, who passed
    guides: tuple[int, ...] = ()  # versions of the instructions under which answers were submitted
    unguided: int = 0  # answers of which it is not known under which
    check_share: float = 0.0  # of hidden gold
    seconds: float | None = None  # median active time of an answer
    timed: int = 0  # answers whose time was measured
    paid: str = ""  # dollars in all, without fees
    unpaid: int = 0  # answers of a batch that pays, which wait for a decision or for their payment
    earners: int = 0  # annotators with measured time, all of it decided on and paid
    wage: str = ""  # median over them, dollars an hour
    tenth: str = ""  # its 10th percentile
    agreements: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # (measure, "0.71 [0.60, 0.81]" as a figure)
    picked: int = 0  # HITs that a requester settled by accepting an answer as it is
    reworded: int = 0  # HITs that a requester settled with a wording of their own
    edited: int = 0  # answers that stand in a requester's wording, where requesters read them all
    refused: int = 0  # answers that a requester discarded or returned
    voided: tuple[tuple[str, int], ...] = ()  # reason and HITs
    voided_answers: int = 0


def sentences(facts: Facts) -> list[Sentence]:
    """What there is to say, in the order of a methods section; none before the first answer."""
    if not facts.answers:
        return []
    parts = (_items, _people, _selection, _instructions, _pay, _agreement, _decisions)
    return [sentence for part in parts for sentence in part(facts)]


def _said(message: str, **values: Any) -> Sentence:
    return {"message": message, "values": values}


def _listed(pairs: Iterator[str] | list[str]) -> str:
    return ", ".join(pairs)


def _items(facts: Facts) -> Iterator[Sentence]:
    if facts.question:
        yield _said(_("Annotators were asked: “%(question)s”"), question={"text": facts.question})
    if facts.datasets:
        yield _data(facts)
    yield from _hops(facts)


def _hops(facts: Facts) -> Iterator[Sentence]:
    """Every item is among them or said to be of unknown number; nothing where it is known of none."""
    known = [(hops, count) for hops, count in facts.hops if hops]
    if not known:
        return
    unknown = facts.hits - sum(count for _hops, count in known)
    if len(known) == 1 and not unknown:
        yield counted_sentence(known[0][0], _("Each question takes one hop."), _("Each question takes %(n)s hops."))
        return
    told = _listed([f"{hops} ({count})" for hops, count in known])
    message = _("The questions take the following numbers of hops, with the number of items in parentheses: %(hops)s.")
    yield _said(message, hops=told)
    if unknown:
        yield counted_sentence(
            unknown,
            _("Of one item the number of hops is not known."),
            _("Of %(n)s items the number of hops is not known."),
        )


def _data(facts: Facts) -> Sentence:
    if facts.hits == 1:
        return _said(_("The data are one item of the dataset %(dataset)s."), dataset=facts.datasets[0][0])
    if len(facts.datasets) == 1:
        return _said(
            _("The data are %(n)s items of the dataset %(dataset)s."), n=facts.hits, dataset=facts.datasets[0][0]
        )
    named = _listed([f"{name} ({count})" for name, count in facts.datasets])
    return _said(_("The data are %(n)s items of the datasets %(datasets)s."), n=facts.hits, datasets=named)


def _people(facts: Facts) -> Iterator[Sentence]:
    if facts.workers == 1:
        one, many = _("One annotator submitted one answer."), _("One annotator submitted %(n)s answers.")
        yield counted_sentence(facts.answers, one, many)
    else:
        message = _("In all, %(workers)s annotators submitted %(n)s answers.")
        yield _said(message, workers=facts.workers, n=facts.answers)
    if facts.imported:
        one, many = _("One of them was given elsewhere."), _("%(n)s of them were given elsewhere.")
        yield counted_sentence(facts.imported, one, many)
    few, most = facts.per_hit
    if few != most:
        message = _("Each item was to be answered by %(few)s to %(most)s different annotators.")
        yield _said(message, few=few, most=most)
    elif most == 1:
        yield _said(_("Each item was to be answered by one annotator."))
    elif most:
        yield _said(_("Each item was to be answered by %(n)s different annotators."), n=most)
    if facts.unanswered == 1:
        yield _said(_("One item has no answer."))
    elif facts.unanswered:
        yield _said(_("No answer was given to %(n)s of the items."), n=facts.unanswered)
    yield from _days(facts)


def _days(facts: Facts) -> Iterator[Sentence]:
    """When answers came; of those that were given elsewhere no day is recorded."""
    if not facts.first:
        return
    if facts.first == facts.last:
        message = (
            _("The others came on %(first)s (UTC).") if facts.imported else _("All answers came on %(first)s (UTC).")
        )
    else:
        message = _("Answers came from %(first)s to %(last)s (UTC).")
        if facts.imported:
            message = _("The others came from %(first)s to %(last)s (UTC).")
    yield _said(message, first=facts.first, last=facts.last)


def _selection(facts: Facts) -> Iterator[Sentence]:
    if facts.marketplace:
        yield _said(_("Annotators were recruited on the marketplace %(name)s."), name=facts.marketplace)
    if facts.chosen == 1:
        yield _said(_("Only one annotator, chosen by name, might take part."))
    elif facts.chosen:
        yield _said(_("Only %(n)s annotators, chosen by name, might take part."), n=facts.chosen)
    if facts.requirements:
        yield _said(_("They had to meet these requirements: %(all)s."), all="; ".join(facts.requirements))
    for title, took, passed in facts.rounds:
        yield counted_sentence(
            took,
            _("Before, one annotator took the qualification round “%(title)s” and %(passed)s passed it."),
            _("Before, %(n)s annotators took the qualification round “%(title)s” and %(passed)s passed it."),
            title=title,
            passed=passed,
        )


def _instructions(facts: Facts) -> Iterator[Sentence]:
    if facts.guides and facts.unguided:
        told = _listed([str(number) for number in facts.guides])
        yield counted_sentence(
            facts.unguided,
            _("Versions of the instructions: %(all)s; of one answer it is not recorded."),
            _("Versions of the instructions: %(all)s; of %(n)s answers it is not recorded."),
            all=told,
        )
    elif len(facts.guides) == 1:
        yield _said(_("All answers were given under version %(n)s of the instructions."), n=facts.guides[0])
    elif facts.guides:
        told = _listed([str(number) for number in facts.guides])
        yield _said(_("Answers were given under versions %(all)s of the instructions."), all=told)
    if facts.check_share:
        share = f"{100 * facts.check_share:g}"
        yield _said(_("Hidden gold items were to make up %(share)s %% of what an annotator got."), share=share)


def _pay(facts: Facts) -> Iterator[Sentence]:
    if facts.seconds is not None:
        message = _("The median active time of an answer was %(n)s seconds.")
        if facts.timed < facts.answers:
            message = _("Of %(timed)s answers the active time was measured; its median was %(n)s seconds.")
        if facts.timed == 1 < facts.answers:
            message = _("Of one answer the active time was measured; it was %(n)s seconds.")
        yield _said(message, n=_seconds(facts.seconds), timed=facts.timed)
    if facts.paid:
        yield counted_sentence(
            facts.workers,
            _("The annotator was paid %(paid)s US dollars in all, without fees."),
            _("Annotators were paid %(paid)s US dollars in all, without fees."),
            paid=facts.paid,
        )
        yield from _wages(facts)


def _wages(facts: Facts) -> Iterator[Sentence]:
    """Wages are told once everything is paid; before, what is still to be paid."""
    if facts.unpaid:
        yield counted_sentence(
            facts.unpaid,
            _("One answer is not yet paid or decided on."),
            _("%(n)s answers are not yet paid or decided on."),
        )
    elif facts.wage:
        one = _("The one annotator with measured time earned %(wage)s US dollars an hour.")
        many = _(
            "Of the %(n)s annotators with measured time, the median earned %(wage)s US dollars an hour; at least one "
            "in ten earned %(tenth)s or less."
        )
        yield counted_sentence(facts.earners, one, many, wage=facts.wage, tenth=facts.tenth)


def _seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _agreement(facts: Facts) -> Iterator[Sentence]:
    for measure, figure in facts.agreements:
        value, low, high = (figure.get(end) for end in ("value", "low", "high"))
        if value is None:
            continue
        named = {"measure": {"text": measure}, "value": _number(value, figure)}
        if low is None or high is None:
            yield _said(_("%(measure)s is %(value)s."), **named)
        else:
            ends = {"low": _number(low, figure), "high": _number(high, figure)}
            yield _said(_("%(measure)s is %(value)s (95 %% interval %(low)s to %(high)s)."), **named, **ends)
    if any(figure.get("low") is not None for _measure, figure in facts.agreements):
        about = whom(facts.counted_workers)
        yield _said(about["text"], **about["values"])


def _number(value: float, figure: Mapping[str, Any]) -> str:
    """Coefficients with three digits; shares, which say so, in percent."""
    return f"{100 * value:.1f} %" if figure.get("share") else f"{value:.3f}"


def _decisions(facts: Facts) -> Iterator[Sentence]:
    if facts.refused == 1:
        yield _said(_("One answer was discarded or returned on reading: verdicts leave it out, the figures count it."))
    elif facts.refused:
        message = _(
            "On reading, %(n)s answers were discarded or returned: verdicts leave them out, the figures count them."
        )
        yield _said(message, n=facts.refused)
    if facts.picked:
        yield counted_sentence(
            facts.picked,
            _("One item was settled by a requester, who accepted one of its answers."),
            _("%(n)s items were settled by a requester, who accepted one of the answers of each."),
        )
    if facts.reworded:
        yield counted_sentence(
            facts.reworded,
            _("One item was settled by a requester, in the requester's own wording."),
            _("%(n)s items were settled by a requester, in the requester's own wording."),
        )
    if facts.edited:
        yield counted_sentence(
            facts.edited,
            _("One answer was reworded by a requester; verdicts take that wording."),
            _("%(n)s answers were reworded by a requester; verdicts take that wording."),
        )
    if facts.voided:
        yield from _voided(facts)


def _voided(facts: Facts) -> Iterator[Sentence]:
    """What the figures leave out, and how many answers they count then."""
    yield counted_sentence(
        sum(count for _reason, count in facts.voided),
        _("The results leave out one of the items, because of %(reasons)s."),
        _("The results leave out %(n)s of the items, because of %(reasons)s."),
        reasons="; ".join(f"{reason} ({count})" for reason, count in facts.voided),
    )
    if facts.voided_answers:
        left = facts.answers - facts.voided_answers
        yield _said(_("So figures count %(left)s of the %(all)s answers."), left=left, all=facts.answers)


def in_words(facts: Facts, translate: tables.Translate = str) -> str:
    """The paragraph; empty before the first answer."""
    return " ".join(tables.sentence(sentence, translate) for sentence in sentences(facts))
