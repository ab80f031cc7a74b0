"""The human DiRe row: people's scores by arm beside models', as figures and as one table.

Beside them stands a difference that is none: the same responses in two halves of the people, one half less the other.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.pure.derivations.support_removal import expected_drop
from annotation.pure.numeric import Floats, np
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.intervals import Figure, bootstrap_figure, wilson
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Unit, crossed, too_few
from annotation.pure.studies.human_dire import (
    ARMS,
    CLOSED_BOOK,
    FIGURES,
    ORIGINAL,
    PROBE,
    TRANSFORMED,
    TRIVIAL,
    Marks,
    Question,
    arm_marks,
    marks_of,
    quantities,
    standardise,
)
from annotation.pure.text.translation_marks import gettext_noop as _

SPLITS = 200


def split_units(questions: Sequence[Mapping[str, Sequence[float]]], seed: int) -> list[list[Unit]]:
    """For each figure the units of the mean over seeded halves of the workers: first half less second half.

    `questions`: each worker's figures on the question, equally many. A question's value is the mean over the splits in
    which both halves have responses to it, None if there is none.
    """
    place = {worker: k for k, worker in enumerate(_in_order(questions))}
    half = np.arange(len(place)) < len(place) // 2
    first = np.random.default_rng(seed).permuted(np.tile(half, (SPLITS, 1)), axis=1)
    rows = []
    for by_worker in filter(None, questions):
        own = sorted(by_worker, key=place.__getitem__)
        rows.append(list(_units({worker: by_worker[worker] for worker in own}, first[:, [place[w] for w in own]])))
    return [list(column) for column in zip(*rows, strict=True)]


def _in_order(questions: Sequence[Mapping[str, Sequence[float]]]) -> list[str]:
    """The workers by what they said: their names differ between projects, and a replay has the same halves."""
    told: defaultdict[str, list[tuple[int, Sequence[float]]]] = defaultdict(list)
    for number, by_worker in enumerate(questions):
        for worker, marks in by_worker.items():
            told[worker].append((number, marks))
    return sorted(told, key=told.__getitem__)


def _units(by_worker: Mapping[str, Sequence[float]], first: Floats) -> Iterator[Unit]:
    marks = np.array(list(by_worker.values()), dtype=np.float64)
    whole = _mean(marks, first)
    without = [_mean(np.delete(marks, k, 0), np.delete(first, k, 1)) for k in range(len(marks))]
    for figure in range(marks.shape[1]):
        rest = (None if mean is None else float(mean[figure]) for mean in without)
        yield Unit(None if whole is None else float(whole[figure]), dict(zip(by_worker, rest, strict=True)))


def _mean(marks: Floats, first: Floats) -> Floats | None:
    """The mean over splits of the first half's mean less the second's, figure by figure."""
    size = first.sum(axis=1)
    both = (size > 0) & (size < len(marks))
    if not both.any():
        return None
    own, size = first[both], size[both, None]
    difference: Floats = (own @ marks / size - ~own @ marks / (len(marks) - size)).mean(axis=0)
    return difference


PEOPLE = "people"
PROXY_RATE, PROXIES = 0.017, (2, 115)  # as the paper rounds it, and its counts (appendix D)
DISTRACTORS = 8  # of a question of HotpotQA


class Row(NamedTuple):
    """What is reported: in words, the arms that it depends on, and whether people and models have it."""

    words: str
    arms: tuple[str, ...]
    people: bool = True
    models: bool = False


ROWS: dict[str, Row] = {
    "d": Row(_("D: the question with all paragraphs"), (ORIGINAL,), models=True),
    "p_raw": Row(_("P(D): the more confident of two answers"), (PROBE,), models=True),
    "p_standardised": Row(_("P(D), confidence standardised within workers"), (PROBE,)),
    "p_lower": Row(_("P(D), at least: the worse answer"), (PROBE,), models=True),
    "p_upper": Row(_("P(D), at most: the better answer"), (PROBE,), models=True),
    "d_single": Row(_("D, one worker on average"), (ORIGINAL,)),
    "p_single": Row(_("P(D), two workers on average"), (PROBE,)),
    "d_minus_p": Row(_("D − P(D): at least this much of D needs connecting"), (ORIGINAL, PROBE), models=True),
    "split": Row(_("Split control: D − D of two halves of the workers"), (ORIGINAL,)),
    "dire_range": Row(_("DiRe of people, known as a range only"), (ORIGINAL, PROBE)),
    "dire": Row(_("DiRe: min(D, P(D)) of each question"), (ORIGINAL, PROBE), people=False, models=True),
    "connected": Row(_("D − DiRe: what connected reasoning must explain"), (ORIGINAL, PROBE), False, True),
    "closed": Row(_("Closed-book: what was known"), (CLOSED_BOOK,)),
    "read": Row(_("P(D) − closed-book"), (PROBE, CLOSED_BOOK)),
    "trivial": Row(_("Trivial control: all three copies right"), (TRIVIAL,), models=True),
    "floor": Row(_("D − trivial control: noise floor"), (ORIGINAL, TRIVIAL), models=True),
    "t": Row(_("T(D): with sufficiency"), (TRANSFORMED,), models=True),
    "drop": Row(_("D − T(D)"), (ORIGINAL, TRANSFORMED), models=True),
    "trivial_minus_t": Row(_("Trivial control − T(D)"), (TRIVIAL, TRANSFORMED), models=True),
}
DIFFERENCES = frozenset({"d_minus_p", "connected", "read", "floor", "drop", "trivial_minus_t"})
SPLIT, RANGE, IN_BOTH, LABELS = "split", "dire_range", "in_both", "labels"
BY_QUESTION: dict[str, tuple[str, ...]] = {  # what people's figures are means of, and the arms
    **{name: row.arms for name, row in ROWS.items() if row.people and name not in {SPLIT, RANGE}},
    IN_BOTH: (ORIGINAL, PROBE),
    LABELS: (TRANSFORMED,),
}
COLUMNS = (_("Questions"), _("Answer EM"), _("F1"), _("Support EM"), _("F1"), _("Joint EM"), _("F1"))
NOTES = (
    _("The majority of the responses to each instance, expected over ties; intervals of people are over questions and "
      "workers, those of models over questions."),
    _("D − P(D) takes single responses, in P(D) pairs of them, and may be negative, so that it is about 0 where "
      "nothing needs connecting. Compare it only with another D − P(D): D − DiRe is never less."),
)  # fmt: skip
OF_PEOPLE = {
    "d_minus_p": _(
        "People's D − P(D) rests on confidence: where the surer of two workers has the worse part, P(D) is too low. No "
        "confidence can bring it above P(D), at most."
    ),
    RANGE: _(
        "No worker answers a question twice. DiRe, the share right in both D and P(D), therefore lies anywhere between "
        "the lower 95 % limit of D + P(D) − 1 and the smaller of their upper limits."
    ),
    SPLIT: _(
        "The split control compares random halves of the workers in D, on average over 200 splits. It shows that the "
        "formula gives about 0 where there is no difference, and is not subtracted."
    ),
}
TOO_HIGH = _("D − P(D), with P(D) too high: at least this much of D needs connecting")
SPLITS_DIFFER = _(
    "Questions with more than two supporting paragraphs: %(n)s. Their P(D) is the best of several ways to split the "
    "paragraphs, each answered by other people, which makes it too high and D − P(D) too low."
)
ESTIMATE = _(
    "For the Support EM of D − T(D) the paper expects %(rounded)s points from proxy paragraphs (%(unrounded)s "
    "unrounded, %(low)s to %(high)s by the 95 %% interval of their rate; appendix D). Besides proxies, D − T(D) "
    "contains wrong sufficiency labels, less what a shorter context helps. Trivial control − T(D) sets three right "
    "responses against one with three right labels: without any proxy it is −7 points if responses are right at 0.8 "
    "and labels at 0.9."
)
SUFFICIENT = _("All sufficiency labels of a question were right in %(share)s %%.")

Units = dict[str, list[list[Unit]]]  # of each of BY_QUESTION: a list for each of FIGURES
Rows = dict[str, dict[str, Any]]


def report(people: Iterable[Question], models: Mapping[str, Iterable[Question]], seed: int) -> dict[str, Any]:
    """{"questions", "workers", "split_many_ways", "rows", "expected_drop", "tables"}.

    `rows` has for `people` and each model the figures of each quantity, {"value", "low", "high", "n"} by FIGURES.
    `split_many_ways`: how many questions have several bi-partitions. `expected_drop`: the paper's estimate.
    """
    asked = [row.whole() for row in standardise(people)]
    workers = {one.worker for row in asked for some in row.arms.values() for each in some for one in each.responses}
    rows = {PEOPLE: _people(asked, seed)} | {name: _model(list(some), seed) for name, some in sorted(models.items())}
    found = {
        "questions": len(asked),
        "workers": len(workers),
        "split_many_ways": sum(len(row.support) > 2 for row in asked),
        "rows": rows,
        "expected_drop": _expected_drop(),
    }
    return {**found, "tables": [_table(found)]}


def _expected_drop() -> dict[str, float]:
    """By the rate as the paper rounds it, by its counts, and by the limits of the rate's 95 % interval."""
    rate = wilson(*PROXIES)
    rates = {"rounded": PROXY_RATE, "unrounded": rate.value, "low": rate.low, "high": rate.high}
    return {name: expected_drop(p or 0.0, DISTRACTORS) for name, p in rates.items()}


def _people(questions: Sequence[Question], seed: int) -> dict[str, Any]:
    units: Units = {name: [[] for _figure in FIGURES] for name in BY_QUESTION}
    for question in questions:
        _add(question, units)
    figures = {
        name: [crossed(column, least=-1.0 if name in {*DIFFERENCES, IN_BOTH} else 0.0) for column in columns]
        for name, columns in units.items()
    }
    halves = split_units([_single_marks(question) for question in questions], seed) or [[]] * len(FIGURES)
    figures[SPLIT] = [crossed(column, least=-1.0) for column in halves]
    figures[RANGE] = list(map(dire_range, figures.pop(IN_BOTH), figures["d_single"], figures["p_single"]))
    return {name: _named(some) for name, some in figures.items()}


def dire_range(in_both: Figure, d: Figure, p: Figure) -> Figure:
    """Where DiRe lies: no value, and limits if those of all three are known."""
    if in_both.low is None or d.high is None or p.high is None:
        return Figure(None, None, None, in_both.n)
    return Figure(None, max(0.0, in_both.low), min(d.high, p.high), in_both.n, "range")


def _single_marks(question: Question) -> dict[str, list[float]]:
    """The marks of each worker's response in D."""
    return {
        one.worker: [value or 0.0 for value in marks_of(question, one.answer, one.support)]
        for each in question.arms.get(ORIGINAL, ())
        for one in each.responses
    }


def _add(question: Question, units: Units) -> None:
    """The values of a question, and its values without each of its workers."""
    found: dict[str, Any] = {}
    for arm in question.arms:
        found |= arm_marks(question, arm)
    whole = quantities(found)
    changed: dict[str, dict[str, Mapping[str, Marks | None]]] = {arm: {} for arm in ARMS}
    for arm, instances in question.arms.items():
        for worker in {one.worker for each in instances for one in each.responses}:
            changed[arm][worker] = quantities(found | arm_marks(question.without(worker, arm), arm))
    for name, columns in units.items():
        without = {worker: told[name] for arm in BY_QUESTION[name] for worker, told in changed[arm].items()}
        for k, column in enumerate(columns):
            column.append(Unit(_at(whole[name], k), {worker: _at(marks, k) for worker, marks in without.items()}))


def _at(marks: Marks | None, k: int) -> float | None:
    return None if marks is None else marks[k]


def _model(questions: Sequence[Question], seed: int) -> dict[str, Any]:
    """A model's figures; a question counts in the arms for which it has all predictions."""
    told = []
    for question in questions:
        found: dict[str, Any] = {}
        for arm in question.whole().arms:
            found |= arm_marks(question, arm)
        told.append(quantities(found))
    return {
        name: _named([_over_questions(_known(told, name, k), name, seed) for k in range(len(FIGURES))])
        for name, row in ROWS.items()
        if row.models
    }


def _over_questions(values: Sequence[float | None], name: str, seed: int) -> Figure:
    """A model's figure; of differences that are all equal it has no interval, for Wilson's is about shares."""
    found = bootstrap_figure(values, seed)
    equal = name in DIFFERENCES and len(set(values)) == 1
    return Figure(found.value, None, None, found.n) if equal else found


def _known(told: Sequence[Mapping[str, Marks | None]], name: str, k: int) -> list[float | None]:
    return [_at(row[name], k) for row in told if _at(row[name], k) is not None]


def _named(figures: Sequence[Figure]) -> dict[str, Any]:
    return {name: figure.as_json() for name, figure in zip(FIGURES, figures, strict=True)}


def _table(found: Mapping[str, Any]) -> dict[str, Any]:
    rows, with_models = found["rows"], len(found["rows"]) > 1
    cells = []
    for name, row in ROWS.items():
        words = TOO_HIGH if name == "d_minus_p" and found["split_many_ways"] else row.words
        for who, told in ((who, some[name]) for who, some in rows.items() if name in some):
            shown = [figure if _is_known(figure) else None for figure in told.values()]
            if any(shown):
                whom: list[Any] = [text_cell(_("people")) if who == PEOPLE else who] if with_models else []
                cells.append([text_cell(words), *whom, max(figure["n"] for figure in told.values()), *shown])
    columns = ("", "", *COLUMNS) if with_models else ("", *COLUMNS)
    title = _("Disconnected reasoning: people and models")
    return table("dire", title, columns, cells, _notes(found), leads=False, bars=False)


def _is_known(figure: Mapping[str, Any]) -> bool:
    return figure["value"] is not None or figure["low"] is not None


def _notes(found: Mapping[str, Any]) -> list[Any]:
    notes: list[Any] = [*NOTES]
    for name, text in OF_PEOPLE.items():
        notes += [text] if _is_known(found["rows"][PEOPLE][name]["answer_em"]) else []
    if found["split_many_ways"]:
        notes.append(text_cell(SPLITS_DIFFER, n=found["split_many_ways"]))
    labels = found["rows"][PEOPLE][LABELS]["answer_em"]["value"]
    if labels is not None:
        notes.append(text_cell(SUFFICIENT, share=f"{100 * labels:.1f}"))
        drop = found["expected_drop"]
        notes.append(text_cell(ESTIMATE, **{name: f"{100 * value:.2f}" for name, value in drop.items()}))
    if 0 < found["workers"] < LEAST_WORKERS:
        notes.append(too_few(found["workers"]))
    return notes
