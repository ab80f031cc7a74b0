"""Tables with the rows, columns and decimals of the papers, ready to paste.

MuSiQue's Tables 3 and 4 (Trivedi et al. 2022), the sub-question paper's Tables 2 to 4 (Tang et al. 2021), and DiRe's
metrics under their names (Trivedi et al. 2020). Cells are texts, of workers' figures None where there is none;
`numbers` says which columns hold numbers.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports import table_files, tables
from annotation.pure.reports.tables import UNKNOWN
from annotation.pure.text.translation_marks import gettext_noop as _

QUESTIONS = {"q": "q", "sub1": "q_sub1", "sub2": "q_sub2"}
OUTCOMES = ["".join(each) for each in product("cw", repeat=3)]
METRICS = {
    "answer": "Ans",
    "supporting_paragraphs": "Supp_p",
    "supporting_sentences": "Supp_s",
    "joint_paragraphs": "Ans + Supp_p",
    "joint_sentences": "Ans + Supp_s",
}
MEASURES = {"human_score": "Score", "upper_bound": "UB", "agreement": "Agr"}


_SUBSCRIPTS = {r"q\_sub1": "$q_{sub1}$", r"q\_sub2": "$q_{sub2}$", r"Supp\_p": "Supp$_p$", r"Supp\_s": "Supp$_s$"}
FORMS = ("latex", "markdown", "csv")


def written(table: JSON, form: str) -> str:
    """A table in one of FORMS, without caption or note."""
    head, rows = tables.quotable(table)
    if form == "csv":
        return table_files.csv(head, rows).rstrip("\r\n")
    if form == "markdown":
        return table_files.markdown(head, rows, numbers=table["numbers"])
    plain = table_files.latex(table["columns"], rows, numbers=table["numbers"], spans=tables.spans_of(table))
    for name, mathematics in _SUBSCRIPTS.items():
        plain = plain.replace(name, mathematics)
    return plain.replace("{q}", "{$q$}").replace("\nq & ", "\n$q$ & ")


def subqa_tables(models: Mapping[str, JSON], decimals: int | None = None) -> list[JSON]:
    """The sub-question paper's Tables 2 to 4, a model each row and then each column, from figures of `evaluate`."""
    one, two = (1, 2) if decimals is None else (decimals, decimals)
    cells = [(part, key, places) for part in QUESTIONS for key, places in (("em", one), ("f1", two))]
    rows = [
        [name, *(_number(figures[part][key], places) for part, key, places in cells)]
        for name, figures in models.items()
    ]
    spans = [["", 1], *([name, 2] for name in QUESTIONS.values())]
    scores = _table("subqa-scores", "EM and F1", ["Model", *("EM", "F1") * len(QUESTIONS)], rows, spans=spans)
    return [scores, *(_outcomes(kind, models, one) for kind in ("em", "pm"))]


def _outcomes(kind: str, models: Mapping[str, JSON], decimals: int) -> JSON:
    rows = [
        [*outcome, *(_number(figures[kind][outcome], decimals) for figures in models.values())] for outcome in OUTCOMES
    ]
    columns = [*QUESTIONS.values(), *models]
    return _table(f"subqa-{kind}", f"Categorical {kind.upper()} (%)", columns, rows, words=len(QUESTIONS))


def dire_tables(datasets: Mapping[str, Mapping[str, JSON]], decimals: int | None = None) -> list[JSON]:
    """DiRe's F1 by metric for each dataset, one row per model; then all as rows of MuSiQue's Table 4 (An and Sp)."""
    places = 1 if decimals is None else decimals
    result = []
    for dataset, models in datasets.items():
        rows = [[name, *(_number(of[block]["f1"], places) for block in METRICS)] for name, of in models.items()]
        result.append(_table("dire-f1", f"F1 on {dataset}", ["Model", *METRICS.values()], rows))
    names = list(dict.fromkeys(name for models in datasets.values() for name in models))
    pairs = [
        [name, *(_f1(models.get(name), block, places) for models in datasets.values() for block in list(METRICS)[:2])]
        for name in names
    ]
    return [*result, _an_sp("dire-an-sp", "Answer and support F1", datasets, pairs)]


def _f1(figures: JSON | None, block: str, places: int) -> str:
    return UNKNOWN if figures is None else _number(figures[block]["f1"], places)


def human_tables(datasets: Mapping[str, JSON]) -> list[JSON]:
    """MuSiQue's Table 3 of a report on one dataset; its Table 4, people beside models, of any number of datasets."""
    result = []
    if len(datasets) == 1:
        [study] = datasets.values()
        rows = [
            [words, *(_percent(study[part][measure]) for part in ("answer", "support"))]
            for measure, words in MEASURES.items()
        ]
        title = _("Human performance (cf. MuSiQue, Table 3)")
        result.append(_table("musique-table-3", title, ["", "Answer F1", "Support F1"], rows))
    rows = [
        [MEASURES[measure], *(_percent(study[part][measure]) for study in datasets.values() for part in _PARTS)]
        for measure in ("human_score", "upper_bound")
    ]
    notes = []
    for model in dict.fromkeys(name for study in datasets.values() for name in study.get("models", {})):
        whole = {name for name, study in datasets.items() if _answers_all(study, model)}
        if whole:
            figures = [datasets[name]["models"][model] if name in whole else None for name in datasets]
            rows.append([model, *(of and _percent(of[part]) for of in figures for part in _PARTS)])
        notes += [_partly(name, study, model) for name, study in datasets.items() if name not in whole]
    title = _("People and models (cf. MuSiQue, Table 4)")
    return [*result, _an_sp("musique-table-4", title, datasets, rows) | {"note": [note for note in notes if note]}]


def _answers_all(study: JSON, model: str) -> bool:
    """Whether the model's figures cover as many items as the workers'."""
    of = study.get("models", {}).get(model)
    return of is not None and of["n"] == study["n"]


def _partly(name: str, study: JSON, model: str) -> JSON | None:
    """A note that a model is left out of the table because it answered only some of the items; None without figures."""
    of = study.get("models", {}).get(model)
    if of is None:
        return None
    message = _("%(model)s is left out for %(dataset)s: it has predictions for %(n)s of the %(all)s items.")
    return tables.text_cell(message, model=model, dataset=name, n=of["n"], all=study["n"])


_PARTS = ("answer", "support")


def _an_sp(name: str, title: str, datasets: Mapping[str, Any], rows: Sequence[Sequence[str | None]]) -> JSON:
    """Two columns a dataset, as MuSiQue's Table 4 has them."""
    spans = [["", 1], *([dataset, 2] for dataset in datasets)]
    return _table(name, title, ["", *("An", "Sp") * len(datasets)], rows, spans=spans)


def _percent(marks: Mapping[str, Any]) -> str | None:
    value = marks["f1"]["value"]
    return None if value is None else f"{100 * value:.1f}"


def _number(value: float | None, decimals: int) -> str:
    return UNKNOWN if value is None else f"{value:.{decimals}f}"


def _table(
    name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[str | None]], *, words: int = 1, **more: Any
) -> JSON:
    """A table of texts; the columns after the first `words` hold numbers."""
    numbers = [number >= words for number in range(len(columns))]
    return tables.table(name, title, columns, rows, numbers=numbers, leads=False, bars=False, **more)
