"""The report of an `answer` batch as tables: MuSiQue's Table 4 over all datasets, then each dataset's own.

Tables are JSON as in annotation/pure/tables.py; titles, notes and columns are gettext ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.people_tables import answer_people_table, for_workers
from annotation.pure.tables import said
from annotation.pure.text_agreement import ANSWER_TEXT, SUPPORT
from annotation.pure.voided_tables import count_table, study_rows
from annotation.pure.words import gettext_noop as _

JSON = dict[str, Any]
MEASURES = {
    "human_score": _("Human score"),
    "upper_bound": _("Upper bound"),
    "agreement": _("Agreement"),
    "average": _("Average annotator"),
}
TABLE4 = ("human_score", "upper_bound", "agreement")
PARTS = {"answer": _("Answer"), "support": _("Support")}
CELLS = [("answer", "em"), ("answer", "f1"), ("support", "em"), ("support", "f1")]
CELL_NAMES = [_("Answer EM"), _("Answer F1"), _("Support EM"), _("Support F1")]
F1_SPANS = [[_("Answer F1"), len(TABLE4)], [_("Support F1"), len(TABLE4)]]
ALPHAS = {
    "answer": ANSWER_TEXT,
    "support": SUPPORT,
    "no_answer": _("whether there is an answer (nominal)"),
    "yes_no": _("yes, no or words (nominal)"),
    "supporting_paragraph": _("whether a paragraph supports (nominal)"),
}
ALPHA_NOTE = _(
    "1: all agree; 0: no more than by chance. n is what at least two annotators judged. Bootstrap intervals over "
    "questions (over paragraphs in the last row). Lowest and highest: without any one annotator."
)
PERCENT = _("In percent, with 95 % intervals in brackets.")


def answer_tables(content: Mapping[str, Any]) -> list[JSON]:
    """Every table of a report with `datasets`; those of a dataset carry its name as `study`."""
    datasets = content["datasets"]
    found = for_workers([table4(datasets)], content.get("workers", 0))
    for name, study in datasets.items():
        found += [table | {"study": name} for table in for_workers(_study_tables(name, study), _workers_of(study))]
    if after := (content.get("corrected") or {}).get("datasets"):
        found.append(_corrected(datasets, after))
    if content.get("voided"):
        found += [count_table(content["voided"]), _with_voided(datasets, content["with_voided"]["datasets"])]
    return found


def _workers_of(study: JSON) -> int:
    """How many workers its figures are of; 0 in a report kept from before that was counted."""
    return int((study.get("people") or {}).get("workers", 0))


def table4(datasets: Mapping[str, JSON]) -> JSON:
    """MuSiQue's Table 4: a row a dataset, F1 of answer and support as score, upper bound and agreement."""
    rows = [[name, study["n"], *_f1_cells(study)] for name, study in datasets.items()]
    columns = [_("Dataset"), "n", *_f1_columns()]
    of = [{"dataset": name} for name in datasets]
    return _table("human-performance", _("Human performance"), columns, rows, of, spans=[["", 2], *F1_SPANS])


def _f1_columns() -> list[str]:
    return [MEASURES[measure] for _part in PARTS for measure in TABLE4]


def _f1_cells(study: JSON) -> list[JSON]:
    return [study[part][measure]["f1"] for part in PARTS for measure in TABLE4]


def _study_tables(name: str, study: JSON) -> Iterator[JSON]:
    yield _measures(name, study)
    slices = (("hops", _("By number of hops"), _("Hops")), ("shape", _("By shape"), _("Shape")))
    for key, title, column in slices:
        if parts := study.get(f"by_{key}"):
            rows = [[label, part["n"], *_f1_cells(part)] for label, part in parts.items()]
            of = [{"dataset": name, key: label} for label in parts]
            spans = [["", 2], *F1_SPANS]
            yield _table(f"{key}-{name}", title, [column, "n", *_f1_columns()], rows, of, spans=spans)
    yield _workers(name, study)
    if _workers_of(study):
        yield answer_people_table(name, study, MEASURES)
    if study.get("pairs"):
        yield _pairs(name, study["pairs"])
    if study.get("alpha"):
        yield _alphas(name, study["alpha"])


def _measures(name: str, study: JSON) -> JSON:
    """Each measure of people, then each model beside them and the paired gap."""
    rows: list[list[Any]] = [
        [said(words), *(study[part][measure][kind] for part, kind in CELLS)] for measure, words in MEASURES.items()
    ]
    for model, found in study.get("models", {}).items():
        rows.append([model, *(found[part][kind] for part, kind in CELLS)])
        less = {"text": _("Human score less %(model)s"), "values": {"model": model}}
        rows.append([less, *(found["gap"][part][kind] for part, kind in CELLS)])
    of = [{"dataset": name}] * len(rows)
    return _table(f"measures-{name}", _("All measures"), [_("Measure"), *CELL_NAMES], rows, of)


def _workers(name: str, study: JSON) -> JSON:
    columns = [_("Worker"), "n", _("Answer F1"), _("Agreement on the answer")]
    columns += [_("Support F1"), _("Agreement on the support")]
    rows = [
        [worker, found["n"], *(found[part][measure]["f1"] for part in PARTS for measure in ("average", "agreement"))]
        for worker, found in study["by_worker"].items()
    ]
    of = [{"dataset": name, "worker": worker} for worker in study["by_worker"]]
    return _table(f"workers-{name}", _("By worker"), columns, rows, of)


def _pairs(name: str, pairs: JSON) -> JSON:
    columns = [_("Pairs"), *CELL_NAMES, _("Both labels right")]
    row = [pairs["n"], *(pairs[part][kind] for part, kind in CELLS), pairs["answerability"]]
    note = _("Pairs of an answerable question and its contrast, scored 0 where either label is wrong.")
    return _table(f"pairs-{name}", _("Pairs"), columns, [row], [{"dataset": name}]) | {"note": note}


def _alphas(name: str, alphas: Mapping[str, JSON]) -> JSON:
    """Coefficients, which are no percentages: value and interval each in a column of its own."""
    columns = [
        _("Of"),
        _("Value"),
        _("95 % low"),
        _("95 % high"),
        "n",
        _("Lowest without one"),
        _("Highest without one"),
    ]
    rows = [
        [said(ALPHAS.get(key, key.replace("_", " "))), *(_rounded(found[end]) for end in ("value", "low", "high")),
         found["n"], *(_rounded((found.get("without") or {}).get(end)) for end in ("low", "high"))]
        for key, found in alphas.items()
    ]  # fmt: skip
    of = [{"dataset": name}] * len(rows)
    return _table(f"alpha-{name}", _("Krippendorff's alpha"), columns, rows, of) | {"note": ALPHA_NOTE}


def _corrected(before: Mapping[str, JSON], after: Mapping[str, JSON]) -> JSON:
    """The human score against gold and against corrected gold."""
    columns = [_("Dataset"), _("Score"), _("Against gold"), _("Against corrected gold")]
    rows = [
        [name, label, *(found["answer"]["human_score"][key] for found in (before[name], after[name]))]
        for name in after
        for key, label in (("em", "EM"), ("f1", "F1"))
    ]
    of = [{"dataset": row[0]} for row in rows]
    return _table("corrected", _("Human score of the answer with corrected gold"), columns, rows, of)


def _with_voided(without: Mapping[str, JSON], counting: Mapping[str, JSON]) -> JSON:
    """The figures of each dataset that voided HITs change, without and with them."""
    rows = study_rows(without, counting, _f1_cells)
    columns = [_("Dataset"), _("Figures"), "n", *_f1_columns()]
    of = [{"dataset": row[0]} for row in rows]
    made = _table("with-voided", _("With and without the voided HITs"), columns, rows, of, spans=[["", 3], *F1_SPANS])
    return made | {"leads": False}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _table(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: list[list[Any]],
    of: Sequence[JSON],
    *,
    spans: Sequence[Sequence[Any]] = (),
) -> JSON:
    made: JSON = {"name": name, "title": title, "note": PERCENT, "columns": list(columns), "rows": rows, "of": list(of)}
    made["bars"] = False  # a column is one of many
    return made | ({"spans": [list(span) for span in spans]} if spans else {})
