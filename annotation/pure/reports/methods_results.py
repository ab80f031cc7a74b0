"""What a methods paragraph says of agreement and of requesters' decisions (annotation/pure/reports/methods.py)."""

from collections.abc import Iterator

from annotation.pure.reports.methods_facts import Agreement, Facts
from annotation.pure.reports.tables import Sentence, as_sentence, counted_sentence, text_cell
from annotation.pure.statistics.worker_intervals import whom
from annotation.pure.text.translation_marks import gettext_noop as _


def looks(facts: Facts) -> Iterator[Sentence]:
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


def agreement(facts: Facts) -> Iterator[Sentence]:
    """Each measure, what it compares, and for whom the intervals hold."""
    known = [one for one in facts.agreements if one.value is not None]
    for one in known:
        if one.about:
            on, pairs = one.about
            yield counted_sentence(
                pairs,
                _("Agreement on %(on)s compares one pair of responses."),
                _("Agreement on %(on)s compares %(n)s pairs of responses."),
                on=text_cell(on) if isinstance(on, str) else on,
            )
        yield _agreed(one)
    if any(one.low is not None for one in known):
        about = whom(facts.counted_workers)
        yield as_sentence(about["text"], **about["values"])


def _agreed(one: Agreement) -> Sentence:
    """A measure with its n and its interval, or why it has none."""
    value, low, high = (_number(end, share=one.share) for end in (one.value, one.low, one.high))
    values = {"measure": text_cell(one.measure), "value": value, "n": one.n}
    if one.by_chance:
        return as_sentence(_("%(measure)s is %(value)s (n = %(n)s)."), **values)
    if not low or not high:
        message = _("%(measure)s is %(value)s (n = %(n)s; no interval, since it varies too little between items).")
        return as_sentence(message, **values)
    message = _("%(measure)s is %(value)s (n = %(n)s; 95 %% interval %(low)s to %(high)s).")
    return as_sentence(message, **values, low=low, high=high)


def _number(value: float | None, *, share: bool) -> str:
    """Coefficients with three digits, shares in percent; "" for None."""
    if value is None:
        return ""
    return f"{100 * value:.1f} %" if share else f"{value:.3f}"


def decisions(facts: Facts) -> Iterator[Sentence]:
    """What requesters decided on responses and items, and what is left out."""
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
            _("Two requesters decided on one item independently and agreed.")
            if facts.agreed
            else _("Two requesters decided on one item independently and differed."),
            _("Two requesters decided on %(n)s items independently and agreed on %(agreed)s (%(share)s %%)."),
            agreed=facts.agreed,
            share=round(100 * facts.agreed / facts.twice),
        )
    if facts.agreed < facts.twice:
        yield as_sentence(_("Where they differ, a third decision is final."))
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
    number, reasons = sum(count for _reason, count in facts.excluded), facts.excluded
    words = "; ".join(f"{reason} ({count})" if len(reasons) > 1 else reason for reason, count in reasons)
    one = _("The results exclude one of %(all)s items: %(reasons)s.")
    many = _("The results exclude %(n)s of %(all)s items: %(reasons)s.")
    if number == facts.hits:
        one = _("The results exclude the only item: %(reasons)s.")
        many = _("The results exclude all %(all)s items: %(reasons)s.")
    yield counted_sentence(number, one, many, all=facts.hits, reasons=words)
    if facts.excluded_responses == facts.answers:
        yield as_sentence(_("The figures therefore count no response."))
    elif facts.excluded_responses:
        message = _("The figures therefore count %(left)s of the %(all)s responses.")
        yield as_sentence(message, left=facts.answers - facts.excluded_responses, all=facts.answers)
