"""The results of a compose batch as sentences of a methods section."""

from collections.abc import Iterator, Sequence
from statistics import median

from annotation.pure.reports.tables import as_sentence, counted, counted_sentence, text_cell
from annotation.pure.statistics.worker_intervals import whom
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON

from .batch_counts import Hops, Pay, Tally, general_rate, percent, rate


def paragraph(tally: Tally, seed: int) -> Iterator[JSON]:
    """The sentences; none without answers."""
    if not tally.answers:
        return
    graphs = _("to one graph of single-hop questions"), _("to %(n)s graphs of single-hop questions")
    yield as_sentence(
        _("%(workers)s %(answers)s %(graphs)s."),
        workers=counted(len(tally.workers), _("One worker submitted"), _("%(n)s workers submitted")),
        answers=counted(tally.answers, _("one response"), _("%(n)s responses")),
        graphs=counted(tally.hits, *graphs),
    )
    if tally.traps:
        yield counted_sentence(
            tally.traps,
            _("One graph has a bridge that is known not to hold; questions composed from it are not counted below."),
            _(
                "%(n)s graphs have a bridge that is known not to hold; questions composed from them are not "
                "counted below."
            ),
        )
    yield from _bridges(tally, seed)
    for count, hops in sorted(tally.hops.items()):
        yield from _compositions(count, hops)


def _bridges(tally: Tally, seed: int) -> Iterator[JSON]:
    """The rate of unknown bridges judged not to hold, over judgments: several workers may judge one bridge."""
    ended = rate(tally.bridges, seed)
    if ended.value is None or ended.low is None or ended.high is None:
        return
    yield counted_sentence(
        len(tally.bridges),
        _(
            "Bridges were judged once; %(rate)s %% (95 %% interval %(low)s to %(high)s %%) of the judgments "
            "were “not the same” or “cannot tell”."
        ),
        _(
            "Bridges were judged %(n)s times; %(rate)s %% (95 %% interval %(low)s to %(high)s %%) of the "
            "judgments were “not the same” or “cannot tell”."
        ),
        rate=percent(ended.value),
        low=percent(ended.low),
        high=percent(ended.high),
    )
    about = whom(len(tally.workers))
    yield as_sentence(about["text"], **about["values"])
    general = general_rate(tally.bridges)
    if general is not None and general["low"] is not None:
        message = _("Over annotators and items, the interval of that share is %(low)s to %(high)s %%.")
        yield as_sentence(message, low=percent(general["low"]), high=percent(general["high"]))


def _compositions(count: int, hops: Hops) -> Iterator[JSON]:
    yield counted_sentence(
        hops.composed,
        _(
            "One composed question of %(hops)s hops has %(words)s words; its single-hop questions together "
            "have %(single)s."
        ),
        _(
            "%(n)s composed questions of %(hops)s hops have a median of %(words)s words; their single-hop "
            "questions together have %(single)s."
        ),
        hops=count,
        words=_median(hops.words),
        single=_median(hops.single_words),
    )
    if hops.seconds:
        yield _timed(hops)
    if hops.pay.cents:
        yield _paid(hops.composed, hops.pay)


def _timed(hops: Hops) -> JSON:
    timed = len(hops.seconds)
    message = _("Composing took a median of %(seconds)s seconds, measured for %(timed)s of them.")
    if hops.composed == 1:
        message = _("Composing it took %(seconds)s seconds.")
    elif timed == 1:
        message = _("Composing one of them took %(seconds)s seconds; the others were not measured.")
    elif timed == hops.composed:
        message = _("Composing took a median of %(seconds)s seconds.")
    return as_sentence(message, seconds=_median(hops.seconds), timed=timed)


def _paid(composed: int, pay: Pay) -> JSON:
    """The pay of compositions so far, without bonuses."""
    low, high = min(pay.cents), max(pay.cents)
    cents = counted(low, _("1 US cent"), _("%(n)s US cents"))
    if low != high:
        cents = text_cell(_("%(low)s to %(high)s US cents"), low=low, high=high)
    paid = len(pay.cents)
    if paid < composed:
        one = _("One of these %(of)s has been paid so far: %(cents)s.")
        many = _("%(n)s of these %(of)s have been paid so far: %(cents)s each.")
        return counted_sentence(paid, one, many, of=composed, cents=cents)
    return counted_sentence(paid, _("It paid %(cents)s."), _("Each paid %(cents)s."), cents=cents)


def _median(values: Sequence[float]) -> float:
    return round(median(values), 1)
