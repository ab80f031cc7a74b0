"""Solvability and reconstructability by ablation and dataset (Sugawara et al. 2020, Tables 4 and 10)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.pure.reports.tables import counted_sentence
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.statistics.distance_agreement import ANSWER_TEXT, alpha_of_answers, text_agreement_table
from annotation.pure.statistics.intervals import clustered_mean
from annotation.pure.statistics.metrics import ACCURACY, Scorer, scorer_for
from annotation.pure.statistics.significance import chance_text, holm, mcnemar
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.ablation_cells import Cell, head_of, in_cells, name_of, ranges, sentence_of, share_of
from annotation.tasktype.helpers.report_tables import (
    about,
    as_sentence,
    counted_rows,
    label_tables,
    question_of,
    report,
    table,
    text_cell,
    workers_of,
)

from .classes import ALPHA, CLASSES, DELTA, GAMMA, LABELS, ruled


@dataclass(frozen=True)
class Item:
    """A judged HIT with its aggregated response."""

    row: HitWithResponses
    aggregate: JSON

    @property
    def solvable(self) -> bool | None:
        solvable: bool | None = self.aggregate["solvable"]
        return solvable

    @property
    def kind(self) -> str:
        return str(self.aggregate["kind"])


def models_of(of: Sequence[Item]) -> list[str]:
    return sorted({model.worker for item in of for model in item.row.predicted})


def scorer_of(row: HitWithResponses) -> Scorer:
    return ACCURACY if row.example.options else scorer_for(row.format)


def model_score(item: Item, model: GivenResponse) -> float | None:
    """F1 of the dataset's scorer, or whether the right option was chosen."""
    example = item.row.example
    if not example.answers:
        return None
    return scorer_of(item.row).answer(model.answer["text"], example.answers).f1


def scores_of(of: Sequence[Item], name: str) -> list[tuple[Item, float]]:
    pairs = ((item, model_score(item, one)) for item in of for one in item.row.predicted if one.worker == name)
    return [(item, score) for item, score in pairs if score is not None]


INTERVALS = _(
    "Shares with 95 % Wilson intervals, or bootstrap over questions if several shuffles of one question are "
    "judged; models' means with 95 % bootstrap intervals over questions"
)


SOLVABLE_IN = _("Solvable, %(ablation)s, %(dataset)s")


def solvability_report(hits: Iterable[HitWithResponses], *, seed: int) -> JSON:
    """Each HIT counts once, with the class of most of its annotators; ties are left out of the shares."""
    hits = list(hits)
    items = [Item(row, ruled([one.answer for one in row.given])) for row in counted_rows(hits)]
    ordered = in_cells(items)
    tables = [
        _solvable_table(ordered, seed=seed),
        _class_table(ordered, seed=seed),
        _guessable_table(ordered, seed=seed),
        *case_table(ordered, seed=seed),
        *people_table(list(ranges(ordered, SOLVABLE_IN, _solvable)), workers_of(hits)),
        *(label_tables([item.row for item in items], LABELS, on=_("the class"), seed=seed) if items else []),
        *(_texts_table(items, seed=seed) if items else []),
    ]
    paragraph = [*_paragraph(items, ordered), *about(hits, intervals=False)]
    return report(hits, tables, paragraph=paragraph, intervals=INTERVALS, warnings=_warnings(ordered))


def _solvable_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    columns = (_("Ablation"), _("Dataset"), _("Items"), _("Solvable for people"), _("Model"), _("The model's score"))
    rows = []
    for cell, of in cells.items():
        scored = {name: scores_of(of, name) for name in models_of(of)}
        if not any(len(scores) == len(of) for scores in scored.values()):
            rows.append([*head_of(cell), len(of), _people(of, seed), None, None])
        for name, scores in scored.items():
            figure = clustered_mean(((question_of(item.row), score) for item, score in scores), seed, resamples=999)
            people = _people([item for item, _score in scores], seed)
            rows.append([*head_of(cell), len(scores), people, name, figure.as_json()])
    note = _(
        "As in the paper's Table 4. The model's score is the mean F1, or the accuracy for questions with "
        "options. People are scored on the same items, except for items where they are tied."
    )
    return table("solvability", _("Solvability"), columns, rows, note)


def _people(of: Iterable[Item], seed: int) -> JSON:
    """The share that most can solve, of the items that are not tied."""
    return share_of([(item, item.solvable is True) for item in of if item.solvable is not None], seed)


def _class_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    columns = (
        _("Ablation"), _("Dataset"), _("Items"), *(LABELS[name].words for name in CLASSES), _("solvable, by class")
    )  # fmt: skip
    rows = []
    for cell, of in cells.items():
        decided = [item for item in of if item.kind in CLASSES]
        shares = [share_of([(item, item.kind == name) for item in decided], seed) for name in CLASSES]
        by_class = share_of([(item, _is_by_class(item)) for item in decided], seed)
        rows.append([*head_of(cell), len(decided), *shares, by_class])
    note = _(
        "As in the paper's Table 10. The last column is α + γ + the solvable part of δ, which must equal solvability."
    )
    return table("classes", _("Reconstructability"), columns, rows, note)


def _guessable_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    rows = []
    for cell, of in cells.items():
        decided = [item for item in of if item.kind in CLASSES]
        guessable = share_of([(item, item.kind in (GAMMA, DELTA)) for item in decided], seed)
        rows.append([*head_of(cell), len(decided), guessable])
    columns = (_("Ablation"), _("Dataset"), _("Items"), _("Guessable: γ + δ"))
    return table("guessable", _("What people could guess"), columns, rows, _("As in the paper's Section 5.2."))


def _is_by_class(item: Item) -> bool:
    """Whether the item is solvable by its class."""
    return item.kind in (ALPHA, GAMMA) or (item.kind == DELTA and item.solvable is True)


def _solvable(row: HitWithResponses) -> float | None:
    solvable = ruled([one.answer for one in row.given])["solvable"]
    return None if solvable is None else float(solvable)


def _texts_table(items: Sequence[Item], *, seed: int) -> list[JSON]:
    """Krippendorff's alpha of the answers in "solvable" responses; no table if items have different scorers."""
    rows = [item.row for item in items]
    scorers = {scorer_of(row) for row in rows}
    if len(scorers) > 1:
        return []
    texts = [{one.worker: str(one.answer["text"]) for one in row.given if one.answer["solvable"]} for row in rows]
    return text_agreement_table([(ANSWER_TEXT, alpha_of_answers(texts, scorers.pop(), seed))])


def _paragraph(items: Sequence[Item], cells: Mapping[Cell, Sequence[Item]]) -> Iterator[JSON]:
    if not items:
        return
    yield counted_sentence(len(items), _("One ablated question was judged."), _("%(n)s ablated questions were judged."))
    for cell, of in cells.items():
        if decided := [item for item in of if item.solvable is not None]:
            values = {"solvable": sum(item.solvable is True for item in decided), "n": len(decided)}
            alone = _("By majority, %(solvable)s of %(n)s can be solved.")
            among = _("By majority, %(solvable)s of %(n)s can be solved (%(ablation)s; %(dataset)s).")
            yield sentence_of(cells, cell, alone, among, **values)
    if open_ := sum(item.solvable is None for item in items):
        yield as_sentence(_("For %(n)s, annotators are tied on whether they can be solved."), n=open_)
    if tied := sum(item.kind == "tied" for item in items):
        yield as_sentence(_("For %(tied)s there is a tie between classes."), tied=tied)


def _warnings(cells: Mapping[Cell, Sequence[Item]]) -> Iterator[JSON]:
    for (number, dataset), of in cells.items():
        decided = [item for item in of if item.kind in CLASSES and item.solvable is not None]
        classes, solvable = sum(map(_is_by_class, decided)), sum(item.solvable is True for item in decided)
        if classes != solvable:
            unequal = _(
                "%(ablation)s of %(dataset)s: α + γ + solvable δ is %(classes)s, but %(solvable)s are "
                "solvable. Workers disagree on some of them; look at their responses."
            )
            yield as_sentence(unequal, ablation=name_of(number), dataset=dataset, classes=classes, solvable=solvable)


Solved = tuple[Item, bool, bool]  # whether people solve it, and whether the model does
CASES = {  # whether people solve it, and whether the model does
    (True, True): _("A: people and the model solve it"),
    (True, False): _("B: only people solve it"),
    (False, True): _("C: only the model solves it"),
    (False, False): _("D: neither solves it"),
}
SOLVES = _("The model solves an item if its answer is fully correct (F1 1).")
TESTED = _(
    "p: McNemar's exact test, two-sided, of whether people and the model solve the same questions equally "
    "often (B against C; for several shuffles of a question, which of the two solves more of them), with "
    "Holm's adjustment for the %(n)s rows of this table. The difference between people and the model is in "
    "percentage points."
)


def case_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> list[JSON]:
    """A row for each model on each cell; no table without models."""
    columns = (
        _("Ablation"), _("Dataset"), _("Model"), _("Items"), *CASES.values(), _("People minus the model"),
        _("p, adjusted"),
    )  # fmt: skip
    cases = [(cell, name, _both(of, name)) for cell, of in cells.items() for name in models_of(of)]
    adjusted = holm([_chance(both) for _cell, _name, both in cases])
    rows = []
    for (cell, name, both), chance in zip(cases, adjusted, strict=True):
        shares = [share_of([(item, (people, model) == case) for item, people, model in both], seed) for case in CASES]
        less = sum(people - model for _item, people, model in both)
        apart = round(100 * less / len(both), 1) if both else None
        rows.append([*head_of(cell), name, len(both), *shares, apart, chance_text(chance) if both else None])
    note = [SOLVES, text_cell(TESTED, n=len(rows))]
    return [table("cases", _("People and models"), columns, rows, note)] if rows else []


def _both(of: Sequence[Item], name: str) -> list[Solved]:
    """(item, solved by workers, solved by the model) of the items decided by workers and answered by the model."""
    return [(item, item.solvable, score == 1) for item, score in scores_of(of, name) if item.solvable is not None]


def _chance(both: Sequence[Solved]) -> float:
    """P value of McNemar's test over questions: those solved more by workers against those solved more by the model."""
    less: Counter[tuple[str, str]] = Counter()
    for item, people, model in both:
        less[question_of(item.row)] += people - model
    return mcnemar(sum(each > 0 for each in less.values()), sum(each < 0 for each in less.values()))
