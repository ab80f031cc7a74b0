"""Solvability and reconstructability by ablation and dataset (Sugawara et al. 2020, Tables 4 and 10)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.pure.ablation import ABLATIONS
from annotation.pure.intervals import bootstrap_figure
from annotation.pure.judging_tables import agreement_tables
from annotation.pure.metrics import ACCURACY, scorer_for
from annotation.pure.tables import counted_sentence
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Given, Judged
from tasks._tables import excluded_table, said, share, table
from tasks.solvability.classes import ALPHA, CLASSES, DELTA, GAMMA, LABELS, class_of, ruled

INTERVALS = _("Shares with 95 % Wilson intervals; models' means with 95 % bootstrap intervals over items")
CASES = {
    "A": _("A: people and the model solve it"),
    "B": _("B: only people solve it"),
    "C": _("C: only the model solves it"),
    "D": _("D: neither solves it"),
}
Cell = tuple[int, str]  # the number of an ablation (0: none is known) and a dataset


@dataclass(frozen=True)
class Item:
    """A judged HIT with its verdict."""

    row: Judged
    verdict: JSON

    @property
    def solvable(self) -> bool | None:
        solvable: bool | None = self.verdict["solvable"]
        return solvable

    @property
    def kind(self) -> str:
        return str(self.verdict["kind"])


def solvability_report(judged: Iterable[Judged], *, seed: int) -> JSON:
    """Each HIT counts once, with the verdict of most of its annotators; ties are left out of the shares."""
    judged = list(judged)
    items = [Item(row, ruled([one.answer for one in row.given])) for row in judged if row.given and not row.excluded]
    cells: defaultdict[Cell, list[Item]] = defaultdict(list)
    for item in items:
        cells[_cell(item.row)].append(item)
    ordered = {cell: cells[cell] for cell in sorted(cells)}
    said_by = [(item.row.hit, [(one.worker, class_of(one.answer)) for one in item.row.given]) for item in items]
    return {
        "task": "solvability",
        "n": len(items),
        "tables": [
            _solvable_table(ordered, seed=seed),
            _class_table(ordered),
            *_case_table(ordered),
            *(agreement_tables(said_by, categories=CLASSES, labels=LABELS, seed=seed) if items else []),
            *excluded_table(judged),
        ],
        "paragraph": list(_paragraph(items)),
        "intervals": INTERVALS,
        "flags": list(_flags(ordered)),
    }


def _cell(row: Judged) -> Cell:
    told = row.example.extra.get("ablation")
    number = told.get("number") if isinstance(told, Mapping) else None
    return (number if type(number) is int else 0, row.dataset)


def _head(cell: Cell) -> list[object]:
    number, dataset = cell
    return [_name(number), dataset]


def _name(number: int) -> JSON | None:
    """The ablation as the paper's tables have it, such as "3. Content words only"; None where none is known."""
    if not number:
        return None
    if number not in ABLATIONS:
        return said(_("Ablation %(number)s"), number=number)
    return said(_("%(number)s. %(name)s"), number=number, name=said(ABLATIONS[number]))


def _models(of: Sequence[Item]) -> list[str]:
    return sorted({model.worker for item in of for model in item.row.predicted})


def _model_score(item: Item, model: Given) -> float | None:
    """F1 of the dataset's scorer, or whether the right option was chosen."""
    example = item.row.example
    if not example.answers:
        return None
    scorer = ACCURACY if example.options else scorer_for(item.row.format)
    return scorer.answer(model.answer["text"], example.answers).f1


def _scores(of: Sequence[Item], name: str) -> list[tuple[Item, float]]:
    pairs = ((item, _model_score(item, one)) for item in of for one in item.row.predicted if one.worker == name)
    return [(item, score) for item, score in pairs if score is not None]


def _solvable_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    columns = (_("Ablation"), _("Dataset"), _("Items"), _("Solvable for people"), _("Model"), _("The model's score"))
    rows = []
    for cell, of in cells.items():
        decided = [item for item in of if item.solvable is not None]
        people = share(sum(item.solvable is True for item in decided), len(decided))
        for name in _models(of) or [""]:
            figure = bootstrap_figure([score for _item, score in _scores(of, name)], seed, resamples=999)
            rows.append([*_head(cell), len(of), people, name or None, figure.as_json() if name else None])
    note = _("The paper's Table 4. The model's score is the mean F1, or the accuracy where there are options.")
    return table("solvability", _("Solvability"), columns, rows, note)


def _class_table(cells: Mapping[Cell, Sequence[Item]]) -> JSON:
    columns = (
        _("Ablation"), _("Dataset"), _("Items"), *(LABELS[name] for name in CLASSES), _("solvable, by the classes")
    )  # fmt: skip
    rows = []
    for cell, of in cells.items():
        decided = [item for item in of if item.kind in CLASSES]
        counts = Counter(item.kind for item in decided)
        shares = [share(counts[name], len(decided)) for name in CLASSES]
        rows.append([*_head(cell), len(decided), *shares, share(_by_classes(decided), len(decided))])
    note = _("The paper's Table 10. The last column is α + γ + the solvable of δ, which must equal solvability.")
    return table("classes", _("Reconstructability"), columns, rows, note)


def _by_classes(decided: Sequence[Item]) -> int:
    return sum(item.kind in (ALPHA, GAMMA) or (item.kind == DELTA and item.solvable is True) for item in decided)


def _case_table(cells: Mapping[Cell, Sequence[Item]]) -> list[JSON]:
    columns = (_("Ablation"), _("Dataset"), _("Model"), _("Items"), *CASES.values())
    rows = []
    for cell, of in cells.items():
        for name in _models(of):
            both = [(item.solvable, score == 1) for item, score in _scores(of, name) if item.solvable is not None]
            counts = Counter(_case(people, model) for people, model in both)
            rows.append([*_head(cell), name, len(both), *(share(counts[case], len(both)) for case in CASES)])
    note = _("The model solves an item that it answers fully right (F1 1).")
    return [table("cases", _("People and models"), columns, rows, note)] if rows else []


def _case(people: bool, model: bool) -> str:
    if people:
        return "A" if model else "B"
    return "C" if model else "D"


def _paragraph(items: Sequence[Item]) -> Iterator[JSON]:
    if not items:
        return
    yield counted_sentence(len(items), _("One ablated question was judged."), _("%(n)s ablated questions were judged."))
    decided = [item for item in items if item.solvable is not None]
    if decided:
        solvable = sum(item.solvable is True for item in decided)
        message = _("By majority %(solvable)s of %(n)s can be solved.")
        yield {"message": message, "values": {"solvable": solvable, "n": len(decided)}}
    if open_ := len(items) - len(decided):
        message = _("On %(n)s, as many annotators say that it can be solved as that it cannot.")
        yield {"message": message, "values": {"n": open_}}
    tied = sum(item.kind == "tied" for item in items)
    if tied:
        yield {"message": _("On %(tied)s there is a tie between classes."), "values": {"tied": tied}}


def _flags(cells: Mapping[Cell, Sequence[Item]]) -> Iterator[JSON]:
    for (number, dataset), of in cells.items():
        decided = [item for item in of if item.kind in CLASSES and item.solvable is not None]
        classes, solvable = _by_classes(decided), sum(item.solvable is True for item in decided)
        if classes != solvable:
            told = {"ablation": _name(number), "dataset": dataset, "classes": classes, "solvable": solvable}
            unequal = _(
                "%(ablation)s, of %(dataset)s: α + γ + solvable δ is %(classes)s, but %(solvable)s are solvable. "
                "Annotators disagree on some of them; read their answers."
            )
            yield {"message": unequal, "values": told}
