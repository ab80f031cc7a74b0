"""The methods paragraph of a batch, from recorded facts only; unknown facts are left out."""

from collections.abc import Iterator
from typing import Any

from annotation.pure.reports import tables
from annotation.pure.reports.methods_facts import Derived, Facts
from annotation.pure.reports.methods_results import agreement, decisions, looks
from annotation.pure.reports.tables import Sentence, as_sentence, counted_sentence, text_cell
from annotation.pure.text.translation_marks import gettext_noop as _


def sentences(facts: Facts) -> list[Sentence]:
    """The sentences in the order of a methods section; none before the first response."""
    if not facts.answers:
        return []
    parts = (_registration, _items, _people, _arms, _selection, _instructions, _pay, looks, agreement, decisions)
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
        yield as_sentence(message, setting=text_cell(setting), was=was, now=now)


DRAWN_BY = _(
    "They were drawn by the confidence c of the model %(model)s: systematically in random order, with inclusion "
    "probabilities proportional to √(c (1 − c)), none below a tenth of a uniform sample’s; the estimates weigh them."
)


SUGGESTED = _(
    "Whether a page started with the answer of the model %(model)s, marked as a suggestion, or blank was drawn at "
    "random, balanced within items and annotators; the responses that started with one (%(n)s) come on top and count "
    "in no other figure here but payments."
)


def _items(facts: Facts) -> Iterator[Sentence]:
    if facts.question:
        yield as_sentence(_("Annotators were asked: “%(question)s”"), question=text_cell(facts.question))
    yield from facts.asked
    if facts.rubric_sha256:
        yield as_sentence(_("The SHA-256 of the rubric is %(sha256)s."), sha256=facts.rubric_sha256[:12])
    if facts.datasets:
        yield _data(facts)
    if facts.drawn_by:
        yield as_sentence(DRAWN_BY, model=facts.drawn_by)
    yield from map(_derived, facts.derived)
    yield from _hops(facts)


def _derived(step: Derived) -> Sentence:
    """How the items differ from those of the dataset that they were made of."""
    values = {"dataset": step.dataset, "source": step.source, "does": text_cell(step.does)}
    values["title"] = text_cell(step.title)
    if not step.options:
        return as_sentence(_("%(dataset)s was made from %(source)s by “%(title)s”: %(does)s"), **values)
    named = {f"value{k}": number for k, (_label, number) in enumerate(step.options)}
    named |= {f"label{k}": text_cell(label) for k, (label, _number) in enumerate(step.options)}
    words = "; ".join(f"%(label{k})s: %(value{k})s" for k in range(len(step.options)))
    message = _("%(dataset)s was made from %(source)s by “%(title)s” (%(options)s): %(does)s")
    return as_sentence(message, options=text_cell(words, **named), **values)


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
    if facts.erased:
        one = _("One further response was erased at the participant's request.")
        yield counted_sentence(facts.erased, one, _("%(n)s further responses were erased at participants' request."))
    if facts.imported == facts.answers:
        yield counted_sentence(
            facts.imported, _("It was collected elsewhere."), _("All of them were collected elsewhere.")
        )
    elif facts.imported:
        one, many = _("One of them was collected elsewhere."), _("%(n)s of them were collected elsewhere.")
        yield counted_sentence(facts.imported, one, many)
    yield from _responses(facts)
    if facts.suggested:
        yield as_sentence(SUGGESTED, model=facts.suggest, n=facts.suggested)
    yield from _days(facts)


def _responses(facts: Facts) -> Iterator[Sentence]:
    """The responses of each item that counts, and how many were asked for if these are others."""
    (few, most), (least, largest) = facts.per_hit, facts.responses
    if facts.responses != facts.per_hit:
        left = facts.hits - sum(count for _reason, count in facts.excluded)
        values = {"planned": _range(few, most), "got": _range(least, largest)}
        values["mean"] = f"{(facts.answers - facts.excluded_responses) / left:.1f}" if left else "0"
        if most and left and least == largest:
            message = _("Responses planned for each item: %(planned)s; obtained: %(got)s.")
            yield as_sentence(message, planned=values["planned"], got=largest)
        elif most and left:
            message = _("Responses planned for each item: %(planned)s; obtained: %(got)s (%(mean)s on average).")
            yield as_sentence(message, **values)
        elif left:
            yield as_sentence(_("Responses of each item: %(got)s (%(mean)s on average)."), **values)
    elif few != most:
        message = _("Each item was assigned to %(few)s to %(most)s different annotators.")
        yield as_sentence(message, few=few, most=most)
    elif most:
        one = _("Each item was assigned to one annotator.")
        yield counted_sentence(most, one, _("Each item was assigned to %(n)s different annotators."))
    if facts.unanswered:
        one, many = _("One item has no response."), _("%(n)s of the items have no response.")
        yield counted_sentence(facts.unanswered, one, many)


def _range(few: int, most: int) -> Any:
    return most if few == most else text_cell(_("%(few)s to %(most)s"), few=few, most=most)


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
    if facts.preface:
        yield as_sentence(_("The task's own instructions came after this preface: “%(text)s”"), text=facts.preface)
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
    if facts.rejected:
        yield counted_sentence(
            facts.rejected,
            _("One response was rejected and not paid; this changes no figure."),
            _("%(n)s responses were rejected and not paid; this changes no figure."),
        )


def _wages(facts: Facts) -> Iterator[Sentence]:
    """Wages once everything is paid; before that, the unpaid amount."""
    if facts.unpaid:
        yield counted_sentence(
            facts.unpaid,
            _("One response has not been paid or decided on yet."),
            _("%(n)s responses have not been paid or decided on yet."),
        )
    elif facts.paid and facts.wage:
        one = _("The one annotator with measured time earned %(wage)s US dollars per hour.")
        many = _(
            "Among the %(n)s annotators with measured time, median earnings were %(wage)s US dollars per "
            "hour; at least one in ten earned %(tenth)s or less."
        )
        yield counted_sentence(facts.earners, one, many, wage=facts.wage, tenth=facts.tenth)


def in_words(facts: Facts, translate: tables.Translate = str) -> str:
    """The paragraph; empty before the first answer."""
    return " ".join(tables.sentence(sentence, translate) for sentence in sentences(facts))
