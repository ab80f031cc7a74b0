"""The report of an `answer` batch as tables: MuSiQue's Table 4 over all datasets, then each dataset's own.

Tables are JSON as in annotation/pure/reports/tables.py; titles, notes and columns are gettext ids.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.data.features import shape_words
from annotation.pure.reports.baselines import baseline_table
from annotation.pure.reports.calibration import brier_table, calibration_table
from annotation.pure.reports.exclusion_tables import count_table, study_rows
from annotation.pure.reports.paper_tables import human_tables
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.reports.worker_dependence_tables import NAME as PEOPLE
from annotation.pure.reports.worker_dependence_tables import answer_people_table, for_workers, with_notes
from annotation.pure.statistics.distance_agreement import ALPHA_COLUMNS, ANSWER_TEXT, NO_INTERVAL, SUPPORT
from annotation.pure.text.translation_marks import gettext_noop as _

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
F1_COLUMNS = [MEASURES[measure] for measure in TABLE4] * len(PARTS)
F1_SPANS = [[_("Answer F1"), len(TABLE4)], [_("Support F1"), len(TABLE4)]]
ALPHAS = {
    "answer": ANSWER_TEXT,
    "support": SUPPORT,
    "no_answer": _("whether there is an answer (nominal)"),
    "yes_no": _("yes, no or words (nominal)"),
    "supporting_paragraph": _("whether a paragraph is supporting (nominal)"),
}
ALPHA_NOTE = _(
    "1: full agreement; 0: agreement at chance level. n counts the units with at least two annotators. "
    "Bootstrap intervals over questions. Lowest and highest: of alpha itself and of its values with any one annotator "
    "left out."
)
PERCENT = _("In percent, with 95 % intervals in brackets.")


def answer_tables(content: Mapping[str, Any]) -> list[JSON]:
    """Every table of a report with `datasets`; tables of a single dataset have its name as `study`."""
    datasets, k = content["datasets"], content.get("k", 0)
    result = [_at(k, table4(datasets), list(datasets.values()))]
    result = for_workers(result, content.get("workers", 0))
    for name, study in datasets.items():
        tables = (_at(k, each, [study]) for each in _study_tables(name, study))
        result += [each | {"study": name} for each in for_workers(tables, _workers_of(study))]
        if study.get("baselines"):
            result.append(_at(k, baseline_table(name, study["baselines"], PERCENT), [study]) | {"study": name})
    if after := (content.get("corrected") or {}).get("datasets"):
        corrected = _at(k, _corrected(datasets, after), list(datasets.values()))
        result += for_workers([corrected], content["corrected"].get("workers", 0))
    result += [_at(k, each, list(datasets.values())) for each in human_tables(datasets)]
    if content.get("excluded"):
        counting = content["with_excluded"]
        result.append(count_table(content["excluded"]))
        result += for_workers([_with_excluded(content, counting)], counting.get("workers", 0))
    return result


def at_k(k: int, items: int, *, fewer: int, more: int = 0) -> list[JSON]:
    """Text cells that state k, the number of responses per item of the figures, and for how many of the items."""
    notes = [text_cell(_("Figures use k = %(k)s responses per item."), k=k)]
    if fewer:
        message = _(
            "Figures use k = %(k)s responses for %(n)s of %(all)s items; the others have fewer, and count with all of "
            "theirs."
        )
        notes = [text_cell(message, k=k, n=items - fewer, all=items)]
    if more:
        message = _("Items with more (%(n)s) count with the expected value over all draws of %(k)s of their responses.")
        notes.append(text_cell(message, n=more, k=k))
    return notes


def _at(k: int, figures: JSON, studies: Sequence[JSON]) -> JSON:
    """The table, with a note below the figures that depend on the number of answers: at which k they are."""
    if not k or figures["name"].startswith(("by-count-", "alpha-", "sets-", "calibration-", "brier-", PEOPLE)):
        return figures
    more, fewer, items = (sum(study[name] for study in studies) for name in ("more", "fewer", "n"))
    return with_notes(figures, at_k(k, items, fewer=fewer, more=more))


def _workers_of(study: JSON) -> int:
    """The number of workers behind the study's figures; 0 in old reports that lack it."""
    return int((study.get("people") or {}).get("workers", 0))


def table4(datasets: Mapping[str, JSON]) -> JSON:
    """MuSiQue's Table 4: a row a dataset, F1 of answer and support as score, upper bound and agreement."""
    rows = [[name, study["n"], *_f1_cells(study)] for name, study in datasets.items()]
    columns = [_("Dataset"), "n", *F1_COLUMNS]
    of = [{"dataset": name} for name in datasets]
    return _table("human-performance", _("Human performance"), columns, rows, of, spans=[["", 2], *F1_SPANS])


def _f1_cells(study: JSON) -> list[JSON]:
    return [study[part][measure]["f1"] for part in PARTS for measure in TABLE4]


def _study_tables(name: str, study: JSON) -> Iterator[JSON]:
    yield _measures(name, study)
    if study.get("models"):
        yield _models(name, study)
    if len(study.get("by_count", {})) > 1:
        yield _by_count(name, study)
    slices = (("hops", _("By number of hops"), _("Hops")), ("shape", _("By shape"), _("Shape")))
    for key, title, column in slices:
        if any(parts := study.get(f"by_{key}") or {}):
            named = {label: label if key == "hops" and label else text_cell(shape_words(label)) for label in parts}
            rows = [[named[label], part["n"], *_f1_cells(part)] for label, part in parts.items()]
            of = [{"dataset": name, key: label} if label else None for label in parts]
            columns = [column, "n", *F1_COLUMNS]
            yield _table(f"{key}-{name}", title, columns, rows, of, spans=[["", 2], *F1_SPANS])
    yield _workers(name, study)
    if _workers_of(study):
        yield answer_people_table(name, study, MEASURES)
    if study.get("pairs"):
        yield _pairs(name, study["pairs"])
    if study.get("alpha"):
        yield _alphas(name, study["alpha"])
    if study.get("sets"):
        yield _sets(name, study["sets"])
    if study.get("calibration"):
        yield calibration_table(name, study["calibration"])
        yield brier_table(name, study["calibration"])


def _measures(name: str, study: JSON) -> JSON:
    """A row for each of the workers' measures, with the n of answer and support."""
    rows = [
        [text_cell(words), *_with_n({part: study[part][measure] for part in PARTS})]
        for measure, words in MEASURES.items()
    ]
    return _parts_table(f"measures-{name}", _("All measures"), _("Measure"), rows, [{"dataset": name}] * len(rows))


def _models(name: str, study: JSON) -> JSON:
    """Each model over the items it has predictions for, people on the same items, and the paired gap."""
    rows: list[list[Any]] = []
    for model, figures in study["models"].items():
        rows.append([model, *_with_n(figures)])
        if "people" in figures:  # a report kept from before lacks it until it is computed anew
            people = text_cell(_("People on the items of %(model)s"), model=model)
            rows.append([people, *_with_n(figures["people"])])
        rows.append([text_cell(_("Human score minus %(model)s"), model=model), *_with_n(figures["gap"])])
    of = [{"dataset": name}] * len(rows)
    result = _parts_table(f"models-{name}", _("Models compared with people"), _("Part"), rows, of)
    notes = [PERCENT, _("People: their human score. Each n counts the items of its row.")]
    if any(not figures["support"]["f1"]["n"] for figures in study["models"].values()):
        notes.append(_("Models that predict no supporting paragraphs have no support score."))
    return result | {"leads": False, "note": notes}


def _with_n(parts: Mapping[str, Mapping[str, JSON]]) -> list[Any]:
    """n, EM and F1 of the answer, then of the support."""
    return [cell for part in PARTS for cell in (parts[part]["f1"]["n"], parts[part]["em"], parts[part]["f1"])]


def _parts_table(name: str, title: str, first: str, rows: list[list[Any]], of: Sequence[JSON]) -> JSON:
    spans = [["", 1], *([words, 3] for words in PARTS.values())]
    of_columns: list[JSON | None] = [{}, *[None, {}, {}] * len(PARTS)]  # an n may be of fewer items than the dataset's
    columns = [first, *["n", "EM", "F1"] * len(PARTS)]
    return _table(name, title, columns, rows, of, spans=spans, of_columns=of_columns)


def _by_count(name: str, study: JSON) -> JSON:
    """The figures with 1, 2, ... answers per item."""
    rows = [[count, part["n"], *_f1_cells(part)] for count, part in study["by_count"].items()]
    columns = [_("Responses per item (k)"), "n", *F1_COLUMNS]
    of = [{"dataset": name}] * len(rows)
    note = _(
        "The expected value over all draws of k of an item's responses. Each row covers the items with at "
        "least k responses, so rows with different n cover different items."
    )
    result = _table(f"by-count-{name}", _("By number of responses"), columns, rows, of, spans=[["", 2], *F1_SPANS])
    return result | {"note": [PERCENT, note], "leads": False}


def _workers(name: str, study: JSON) -> JSON:
    columns = [_("Worker"), "n", _("Answer F1"), _("Agreement on the answer")]
    columns += [_("Support F1"), _("Agreement on the support")]
    cells = [(part, measure) for part in PARTS for measure in ("average", "agreement")]
    rows = [
        [worker, figures["n"], *(figures[part][measure]["f1"] for part, measure in cells)]
        for worker, figures in study["by_worker"].items()
    ]
    of = [{"dataset": name, "worker": worker} for worker in study["by_worker"]]
    return _table(f"workers-{name}", _("By worker"), columns, rows, of)


def _pairs(name: str, pairs: JSON) -> JSON:
    columns = [_("Pairs"), *CELL_NAMES, _("Both labels right")]
    row = [pairs["n"], *(pairs[part][kind] for part, kind in CELLS), pairs["answerability"]]
    note = _("Pairs of an answerable question and its contrast. A pair scores 0 if either label is wrong.")
    return _table(f"pairs-{name}", _("Pairs"), columns, [row], [{"dataset": name}]) | {"note": note}


def _alphas(name: str, alphas: Mapping[str, JSON]) -> JSON:
    """Krippendorff's alphas: value and interval in separate columns, because they are not percentages."""
    rows = [
        [text_cell(ALPHAS.get(key, key.replace("_", " "))),
         *(rounded(figure[end]) for end in ("value", "low", "high")), figure["n"],
         *(rounded((figure.get("without") or {}).get(end)) for end in ("low", "high"))]
        for key, figure in alphas.items()
    ]  # fmt: skip
    of = [{"dataset": name}] * len(rows)
    notes = [ALPHA_NOTE, NO_INTERVAL]
    return _table(f"alpha-{name}", _("Krippendorff's alpha"), ALPHA_COLUMNS, rows, of) | {"note": notes}


def _sets(name: str, sets: JSON) -> JSON:
    """Loose and strict accuracy on questions with several answers: people's measures, then each model."""
    parts = {MEASURES[key]: sets[key] for key in ("human_score", "upper_bound", "average")}
    rows = [[text_cell(words), sets["n"], figures["loose"], figures["strict"]] for words, figures in parts.items()]
    rows += [[model, one["loose"]["n"], one["loose"], one["strict"]] for model, one in sets["models"].items()]
    note = _(
        "In percent, with 95 % intervals over questions. Loose: the share of a question's answers that a "
        "response contains; strict: whether it contains all of them (FanOutQA)."
    )
    columns = [_("Measure"), "n", _("Loose accuracy"), _("Strict accuracy")]
    title = _("Questions with several answers")
    return _table(f"sets-{name}", title, columns, rows, [{"dataset": name}] * len(rows), leads=False) | {"note": note}


def _corrected(before: Mapping[str, JSON], after: Mapping[str, JSON]) -> JSON:
    """The human score against gold and against corrected gold."""
    columns = [_("Dataset"), _("Score"), _("Against gold"), _("Against corrected gold")]
    rows = [
        [name, label, *(study["answer"]["human_score"][key] for study in (before[name], after[name]))]
        for name in after
        for key, label in (("em", "EM"), ("f1", "F1"))
    ]
    of = [{"dataset": row[0]} for row in rows]
    return _table("corrected", _("Human score of the answer with corrected gold"), columns, rows, of)


def _with_excluded(without: Mapping[str, Any], counting: Mapping[str, Any]) -> JSON:
    """The figures of each dataset that excluded HITs change, without and with them."""
    rows = study_rows(without, counting, _f1_cells)
    columns = [_("Dataset"), _("Figures"), "n", "k", *F1_COLUMNS]
    of = [{"dataset": row[0]} for row in rows]
    title = _("With and without the excluded HITs")
    return _table("with-excluded", title, columns, rows, of, spans=[["", 4], *F1_SPANS], leads=False)


def _table(
    name: str, title: str, columns: Sequence[str], rows: list[list[Any]], of: Sequence[JSON | None], **more: Any
) -> JSON:
    """A table in percent without bars, since a column is one of many."""
    return table(name, title, columns, rows, PERCENT, of=list(of), bars=False, **more)
