"""The paragraph of a methods section: what is recorded of a batch, in sentences. What is not known is not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure import tables
from annotation.pure.words import gettext_noop as _

Sentence = dict[str, Any]  # {"message": gettext id, "values"}; annotation/pure/tables.py says it


@dataclass(frozen=True, slots=True)
class Facts:
    """A batch as its rows have it; what nobody recorded stays at its default."""

    question: str = ""  # what annotators were asked: a gettext id
    hits: int = 0  # without hidden gold
    datasets: tuple[tuple[str, int], ...] = ()  # name and HITs
    hops: tuple[tuple[int, int], ...] = ()  # number of hops and HITs of so many
    per_hit: tuple[int, int] = (0, 0)  # different annotators for an item: the fewest and the most asked for
    unanswered: int = 0  # HITs that count and have no answer
    answers: int = 0
    workers: int = 0
    first: str = ""  # days of the first and the last answer, in UTC
    last: str = ""
    chosen: int = 0  # annotators let in by name
    marketplace: str = ""
    requirements: tuple[str, ...] = ()
    rounds: tuple[tuple[str, int, int], ...] = ()  # title, who took it, who passed
    guides: tuple[int, ...] = ()  # versions of the instructions under which answers were submitted
    check_share: float = 0.0  # of hidden gold
    seconds: float | None = None  # median active time of an answer
    paid: str = ""  # dollars in all, without fees
    wage: str = ""  # median over annotators, dollars an hour
    tenth: str = ""  # its 10th percentile
    agreements: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # (measure, "0.71 [0.60, 0.81]" as a figure)
    adjudicated: int = 0  # HITs that a requester settled
    refused: int = 0  # answers that a requester discarded or returned
    voided: tuple[tuple[str, int], ...] = ()  # reason and HITs


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
    if len(facts.hops) == 1 and facts.hops[0][1] == facts.hits:
        yield _said(_("Each question takes %(hops)s hops."), hops=facts.hops[0][0])
    elif facts.hops:
        told = _listed([f"{hops} ({count})" for hops, count in facts.hops])
        message = _(
            "The questions take the following numbers of hops, with the number of items in parentheses: %(hops)s."
        )
        yield _said(message, hops=told)


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
        yield _said(_("One annotator submitted %(n)s answers."), n=facts.answers)
    else:
        message = _("In all, %(workers)s annotators submitted %(n)s answers.")
        yield _said(message, workers=facts.workers, n=facts.answers)
    few, most = facts.per_hit
    if few != most:
        message = _("Each item was to be answered by %(few)s to %(most)s different annotators.")
        yield _said(message, few=few, most=most)
    elif most == 1:
        yield _said(_("Each item was given to one annotator."))
    elif most:
        yield _said(_("Each item was to be answered by %(n)s different annotators."), n=most)
    if facts.unanswered == 1:
        yield _said(_("One item has no answer."))
    elif facts.unanswered:
        yield _said(_("No answer was given to %(n)s of the items."), n=facts.unanswered)
    if facts.first and facts.first == facts.last:
        yield _said(_("All answers came on %(day)s (UTC)."), day=facts.first)
    elif facts.first:
        yield _said(_("Answers came from %(first)s to %(last)s (UTC)."), first=facts.first, last=facts.last)


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
        message = _("Before, %(took)s annotators took the qualification round “%(title)s” and %(passed)s passed it.")
        yield _said(message, took=took, title=title, passed=passed)


def _instructions(facts: Facts) -> Iterator[Sentence]:
    if len(facts.guides) == 1:
        yield _said(_("All answers were given under version %(n)s of the instructions."), n=facts.guides[0])
    elif facts.guides:
        told = _listed([str(number) for number in facts.guides])
        yield _said(_("Answers were given under versions %(all)s of the instructions."), all=told)
    if facts.check_share:
        share = f"{100 * facts.check_share:g}"
        yield _said(_("Hidden gold items were to make up %(share)s %% of what an annotator got."), share=share)


def _pay(facts: Facts) -> Iterator[Sentence]:
    if facts.seconds is not None:
        yield _said(_("The median active time of an answer was %(n)s seconds."), n=_seconds(facts.seconds))
    if facts.paid:
        yield _said(_("Annotators were paid %(paid)s US dollars in all, without fees."), paid=facts.paid)
    if facts.wage and facts.tenth:
        message = _(
            "By active time, the median annotator earned %(wage)s US dollars an hour; one in ten earned %(tenth)s or "
            "less."
        )
        yield _said(message, wage=facts.wage, tenth=facts.tenth)


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
            message = _(
                "%(measure)s is %(value)s (95 %% interval %(low)s to %(high)s, resampling items, for these %(n)s "
                "annotators)."
            )
            yield _said(message, **named, **ends, n=facts.workers)


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
    if facts.adjudicated == 1:
        yield _said(_("One item was settled by hand, by accepting one of its answers."))
    elif facts.adjudicated:
        message = _("By hand, %(n)s items were settled, by accepting one of the answers of each.")
        yield _said(message, n=facts.adjudicated)
    if facts.voided:
        told = "; ".join(f"{reason} ({count})" for reason, count in facts.voided)
        count = sum(count for _reason, count in facts.voided)
        message = _("The results leave out %(n)s of the items and their answers, because of %(reasons)s.")
        yield _said(message, n=count, reasons=told)


def in_words(facts: Facts, translate: tables.Translate = str) -> str:
    """The paragraph; empty before the first answer."""
    return " ".join(tables.sentence(sentence, translate) for sentence in sentences(facts))
