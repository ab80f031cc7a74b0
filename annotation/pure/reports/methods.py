"""The methods paragraph of a batch, from recorded facts only; unknown facts are left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure.reports import tables
from annotation.pure.reports.preregistration import SETTINGS
from annotation.pure.reports.tables import as_sentence, counted_sentence, text_cell
from annotation.pure.statistics.worker_intervals import whom
from annotation.pure.text.translation_marks import gettext_noop as _

Sentence = dict[str, Any]  # {"message": gettext id, "values"}; annotation/pure/reports/tables.py says it


@dataclass(frozen=True, slots=True)
class Facts:
    """The recorded facts of a batch; unrecorded ones keep their default."""

    question: str = ""  # the question put to annotators: a gettext id
    hits: int = 0  # without hidden gold
    datasets: tuple[tuple[str, int], ...] = ()  # name and HITs
    hops: tuple[tuple[int, int], ...] = ()  # (number of hops, 0: unknown; number of HITs)
    per_hit: tuple[int, int] = (0, 0)  # different annotators for an item: the fewest and the most asked for
    unanswered: int = 0  # HITs that count and have no answer
    answers: int = 0
    workers: int = 0
    counted_workers: int = 0  # workers with an answer that figures count
    first: str = ""  # days of the first and the last answer that was given here, in UTC
    last: str = ""
    imported: int = 0  # answers that were given elsewhere
    chosen: int = 0  # annotators let in by name
    consented: int = 0  # annotators with an answer that was given here who accepted the project's consent text
    marketplace: str = ""
    requirements: tuple[str, ...] = ()
    rounds: tuple[tuple[str, int, int], ...] = ()  # title, who took it, who passed
    instructions_versions: tuple[int, ...] = ()  # versions of the instructions under which answers were submitted
    unversioned: int = 0  # answers of which it is not known under which
    check_share: float = 0.0  # of hidden gold
    seconds: float | None = None  # median active time of an answer
    timed: int = 0  # answers whose time was measured
    paid: str = ""  # dollars in all, without fees
    unpaid: int = 0  # answers of a batch that pays, which wait for a decision or for their payment
    earners: int = 0  # annotators with measured time, all of it decided on and paid
    wage: str = ""  # median over them, dollars an hour
    tenth: str = ""  # its 10th percentile
    first_look: int = 0  # responses at the first look at the scores before all were in
    extended: int = 0  # items that got more assignments after it
    stopped: bool = False  # whether the batch was closed after it with responses missing
    agreements: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # (measure, "0.71 [0.60, 0.81]" as a figure)
    picked: int = 0  # HITs decided by a requester who accepted an answer unchanged
    reworded: int = 0  # HITs that a requester adjudicated with a wording of their own
    twice: int = 0  # HITs on which two requesters decided independently
    agreed: int = 0  # those of them on which both decisions give the same result
    edited: int = 0  # answers reworded by a requester, if requesters review all of them
    refused: int = 0  # answers that a requester discarded or returned
    excluded: tuple[tuple[str, int], ...] = ()  # reason and HITs
    excluded_responses: int = 0
    arm: str = ""  # of an experiment; the batch's name
    in_order: bool = False  # whether each annotator did all arms, in a drawn order; otherwise one, drawn at random
    arms: tuple[tuple[str, int, int], ...] = ()  # name, annotators who began, annotators who submitted a response
    positions: tuple[tuple[int, int], ...] = ()  # of this arm in drawn orders: who began, who submitted, at 1, 2, ...
    registered: str = ""  # day in UTC on which the batch was preregistered
    registered_sha256: str = ""
    registered_late: bool = False  # whether a response was in by then
    departures: tuple[tuple[str, str, str], ...] = ()  # setting, as registered, as it is now


def sentences(facts: Facts) -> list[Sentence]:
    """The sentences in the order of a methods section; none before the first response."""
    if not facts.answers:
        return []
    parts = (_registration, _items, _people, _arms, _selection, _instructions, _pay, _looks, _agreement, _decisions)
    return [sentence for part in parts for sentence in part(facts)]


def _registration(facts: Facts) -> Iterator[Sentence]:
    """The preregistration, and the settings that differ from it."""
    if not facts.registered:
        return
    message = (
        _("The study was preregistered on %(day)s (SHA-256 %(sha256)s), when a response had already come in.")
        if facts.registered_late
        else _("The study was preregistered on %(day)s (SHA-256 %(sha256)s), before the first response was stored.")
    )
    yield as_sentence(message, day=facts.registered, sha256=facts.registered_sha256)
    if not facts.departures:
        yield as_sentence(_("No setting differs from the preregistration."))
    for setting, was, now in facts.departures:
        message = _("The setting “%(setting)s” differs from the preregistration: it was %(was)s and is now %(now)s.")
        yield as_sentence(message, setting=text_cell(SETTINGS[setting]), was=was, now=now)


def _items(facts: Facts) -> Iterator[Sentence]:
    if facts.question:
        yield as_sentence(_("Annotators were asked: “%(question)s”"), question=text_cell(facts.question))
    if facts.datasets:
        yield _data(facts)
    yield from _hops(facts)


def _hops(facts: Facts) -> Iterator[Sentence]:
    """The numbers of hops, with the number of items of unknown number; nothing if it is unknown for all items."""
    known = [(hops, count) for hops, count in facts.hops if hops]
    if not known:
        return
    unknown = facts.hits - sum(count for _hops, count in known)
    if len(known) == 1 and not unknown:
        one, many = _("Each question requires one hop."), _("Each question requires %(n)s hops.")
        yield counted_sentence(known[0][0], one, many)
        return
    listing = ", ".join(f"{hops} ({count})" for hops, count in known)
    message = _(
        "The numbers of hops that the questions require, with the number of items in parentheses, are: %(hops)s."
    )
    yield as_sentence(message, hops=listing)
    if unknown:
        yield counted_sentence(
            unknown,
            _("The number of hops is unknown for one item."),
            _("The number of hops is unknown for %(n)s items."),
        )


def _data(facts: Facts) -> Sentence:
    if facts.hits == 1:
        return as_sentence(_("The data are one item of the dataset %(dataset)s."), dataset=facts.datasets[0][0])
    if len(facts.datasets) == 1:
        message = _("The data are %(n)s items of the dataset %(dataset)s.")
        return as_sentence(message, n=facts.hits, dataset=facts.datasets[0][0])
    named = ", ".join(f"{name} ({count})" for name, count in facts.datasets)
    return as_sentence(_("The data are %(n)s items of the datasets %(datasets)s."), n=facts.hits, datasets=named)


def _people(facts: Facts) -> Iterator[Sentence]:
    if facts.workers == 1:
        one, many = _("One annotator submitted one response."), _("One annotator submitted %(n)s responses.")
        yield counted_sentence(facts.answers, one, many)
    else:
        message = _("In all, %(workers)s annotators submitted %(n)s responses.")
        yield as_sentence(message, workers=facts.workers, n=facts.answers)
    if facts.imported:
        one, many = _("One of them was collected elsewhere."), _("%(n)s of them were collected elsewhere.")
        yield counted_sentence(facts.imported, one, many)
    few, most = facts.per_hit
    if few != most:
        message = _("Each item was assigned to %(few)s to %(most)s different annotators.")
        yield as_sentence(message, few=few, most=most)
    elif most:
        one = _("Each item was assigned to one annotator.")
        yield counted_sentence(most, one, _("Each item was assigned to %(n)s different annotators."))
    if facts.unanswered:
        one, many = _("One item has no response."), _("%(n)s of the items have no response.")
        yield counted_sentence(facts.unanswered, one, many)
    yield from _days(facts)


def _arms(facts: Facts) -> Iterator[Sentence]:
    """How annotators came to the arm, and how many began and submitted in each."""
    if not facts.arm:
        return
    listing = "; ".join(f"{name} {began}/{submitted}" for name, began, submitted in facts.arms)
    message = _(
        "Each annotator was assigned at random to one of %(k)s arms, so that all fill evenly; this is the arm %(arm)s. "
        "Annotators who began / who submitted a response: %(arms)s."
    )
    if facts.in_order:
        message = _(
            "Each annotator was to do %(k)s arms, one after the other in an order drawn at random from a Latin square, "
            "in which each arm stands at each position equally often; this is the arm %(arm)s. Annotators who began / "
            "who submitted a response: %(arms)s."
        )
    yield as_sentence(message, k=len(facts.arms), arm=facts.arm, arms=listing)
    if facts.positions:
        listing = "; ".join(f"{began}/{submitted}" for began, submitted in facts.positions)
        message = _("As first, second, … arm it was begun / answered by this many annotators: %(positions)s.")
        yield as_sentence(message, positions=listing)


def _days(facts: Facts) -> Iterator[Sentence]:
    """The days of the first and last response; imported responses have no recorded day."""
    if not facts.first:
        return
    if facts.first == facts.last:
        message = (
            _("The others were submitted on %(first)s (UTC).")
            if facts.imported
            else _("All responses were submitted on %(first)s (UTC).")
        )
    else:
        message = _("Responses were submitted from %(first)s to %(last)s (UTC).")
        if facts.imported:
            message = _("The others were submitted from %(first)s to %(last)s (UTC).")
    yield as_sentence(message, first=facts.first, last=facts.last)


def _selection(facts: Facts) -> Iterator[Sentence]:
    if facts.marketplace:
        yield as_sentence(_("Annotators were recruited on the marketplace %(name)s."), name=facts.marketplace)
    if facts.chosen:
        one = _("Participation was limited to one selected annotator.")
        yield counted_sentence(facts.chosen, one, _("Participation was limited to %(n)s selected annotators."))
    if facts.requirements:
        yield as_sentence(_("They had to meet these requirements: %(all)s."), all="; ".join(facts.requirements))
    if facts.consented and facts.consented == facts.workers:
        yield counted_sentence(
            facts.workers,
            _("The annotator consented to how the responses are used."),
            _("All annotators consented to how their responses are used."),
        )
    elif facts.consented:
        message = _(
            "Of the %(all)s annotators, %(n)s consented to how their responses are used; for the others no consent is "
            "recorded."
        )
        yield as_sentence(message, n=facts.consented, all=facts.workers)
    for title, took, passed in facts.rounds:
        yield counted_sentence(
            took,
            _("Beforehand, one annotator took the qualification round “%(title)s” and %(passed)s passed it."),
            _("Beforehand, %(n)s annotators took the qualification round “%(title)s” and %(passed)s passed it."),
            title=title,
            passed=passed,
        )


def _instructions(facts: Facts) -> Iterator[Sentence]:
    versions = ", ".join(map(str, facts.instructions_versions))
    if facts.instructions_versions and facts.unversioned:
        yield counted_sentence(
            facts.unversioned,
            _("Versions of the instructions: %(all)s; not recorded for one response."),
            _("Versions of the instructions: %(all)s; not recorded for %(n)s responses."),
            all=versions,
        )
    elif len(facts.instructions_versions) == 1:
        message = _("All responses were given under version %(n)s of the instructions.")
        yield as_sentence(message, n=facts.instructions_versions[0])
    elif facts.instructions_versions:
        yield as_sentence(_("Responses were given under versions %(all)s of the instructions."), all=versions)
    if facts.check_share:
        message = _("The target share of hidden gold items was %(share)s %% of each annotator's items.")
        yield as_sentence(message, share=f"{100 * facts.check_share:g}")


def _pay(facts: Facts) -> Iterator[Sentence]:
    if facts.seconds is not None:
        message = _("The median active time per response was %(n)s seconds.")
        if facts.timed < facts.answers:
            message = _("Active time was measured for %(timed)s responses; its median was %(n)s seconds.")
        if facts.timed == 1 < facts.answers:
            message = _("Active time was measured for one response; it was %(n)s seconds.")
        yield as_sentence(message, n=f"{facts.seconds:.{0 if facts.seconds >= 10 else 1}f}", timed=facts.timed)
    if facts.paid:
        yield counted_sentence(
            facts.workers,
            _("The annotator was paid %(paid)s US dollars in total, excluding fees."),
            _("Annotators were paid %(paid)s US dollars in total, excluding fees."),
            paid=facts.paid,
        )
        yield from _wages(facts)


def _wages(facts: Facts) -> Iterator[Sentence]:
    """Wages once everything is paid; before that, the unpaid amount."""
    if facts.unpaid:
        yield counted_sentence(
            facts.unpaid,
            _("One response has not been paid or decided on yet."),
            _("%(n)s responses have not been paid or decided on yet."),
        )
    elif facts.wage:
        one = _("The one annotator with measured time earned %(wage)s US dollars per hour.")
        many = _(
            "Among the %(n)s annotators with measured time, median earnings were %(wage)s US dollars per "
            "hour; at least one in ten earned %(tenth)s or less."
        )
        yield counted_sentence(facts.earners, one, many, wage=facts.wage, tenth=facts.tenth)


def _looks(facts: Facts) -> Iterator[Sentence]:
    """What followed from a look at the scores before all responses were in (optional stopping)."""
    if facts.extended:
        yield counted_sentence(
            facts.extended,
            _("After a look at the scores of %(looked)s responses, one item was assigned to more annotators."),
            _("After a look at the scores of %(looked)s responses, %(n)s items were assigned to more annotators."),
            looked=facts.first_look,
        )
    if facts.stopped:
        message = _(
            "Collection ended before all responses were in, after a look at the scores of %(looked)s responses."
        )
        yield as_sentence(message, looked=facts.first_look)


def _agreement(facts: Facts) -> Iterator[Sentence]:
    for measure, figure in facts.agreements:
        value, low, high = (figure.get(end) for end in ("value", "low", "high"))
        if value is None:
            continue
        named = {"measure": text_cell(measure), "value": _number(value, figure)}
        if low is None or high is None:
            yield as_sentence(_("%(measure)s is %(value)s."), **named)
        else:
            ends = {"low": _number(low, figure), "high": _number(high, figure)}
            yield as_sentence(_("%(measure)s is %(value)s (95 %% interval %(low)s to %(high)s)."), **named, **ends)
    if any(figure.get("low") is not None for _measure, figure in facts.agreements):
        about = whom(facts.counted_workers)
        yield as_sentence(about["text"], **about["values"])


def _number(value: float, figure: Mapping[str, Any]) -> str:
    """Coefficients with three digits; shares, which say so, in percent."""
    return f"{100 * value:.1f} %" if figure.get("share") else f"{value:.3f}"


def _decisions(facts: Facts) -> Iterator[Sentence]:
    if facts.refused:
        one = _(
            "In review, one response was excluded or changes to it were requested; the aggregated responses leave it "
            "out, the figures count it."
        )
        many = _(
            "In review, %(n)s responses were excluded or changes to them were requested; the aggregated responses "
            "leave them out, the figures count them."
        )
        yield counted_sentence(facts.refused, one, many)
    if facts.picked:
        yield counted_sentence(
            facts.picked,
            _("A requester adjudicated one item by accepting one of its responses."),
            _("A requester adjudicated %(n)s items by accepting one of the responses to each."),
        )
    if facts.reworded:
        yield counted_sentence(
            facts.reworded,
            _("A requester adjudicated one item with a wording of their own."),
            _("A requester adjudicated %(n)s items with a wording of their own."),
        )
    if facts.twice:
        yield counted_sentence(
            facts.twice,
            _("Two requesters decided on one item independently and agreed on %(agreed)s."),
            _("Two requesters decided on %(n)s items independently and agreed on %(agreed)s (%(share)s %%)."),
            agreed=facts.agreed,
            share=round(100 * facts.agreed / facts.twice),
        )
    if facts.agreed < facts.twice:
        yield as_sentence(_("Where they differed, a third decision was final."))
    if facts.edited:
        yield counted_sentence(
            facts.edited,
            _("A requester reworded one response; the aggregated responses use that wording."),
            _("A requester reworded %(n)s responses; the aggregated responses use that wording."),
        )
    if facts.excluded:
        yield from _excluded(facts)


def _excluded(facts: Facts) -> Iterator[Sentence]:
    """Excluded items by reason, and the number of responses that figures count."""
    yield counted_sentence(
        sum(count for _reason, count in facts.excluded),
        _("The results exclude one of the items, because of %(reasons)s."),
        _("The results exclude %(n)s of the items, because of %(reasons)s."),
        reasons="; ".join(f"{reason} ({count})" for reason, count in facts.excluded),
    )
    if facts.excluded_responses:
        message = _("The figures therefore count %(left)s of the %(all)s responses.")
        yield as_sentence(message, left=facts.answers - facts.excluded_responses, all=facts.answers)


def in_words(facts: Facts, translate: tables.Translate = str) -> str:
    """The paragraph; empty before the first answer."""
    return " ".join(tables.sentence(sentence, translate) for sentence in sentences(facts))
