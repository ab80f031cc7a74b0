"""How a report's page shows its figures: rows, charts, the quotable table, a paragraph for the results section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.pure import quoting
from annotation.pure.charts import Chart, Interval, interval_chart
from annotation.templatetags.figures import interval, percent

JSON = dict[str, Any]
MEASURES = {
    "human_score": gettext_lazy("Human score"),
    "upper_bound": gettext_lazy("Upper bound"),
    "agreement": gettext_lazy("Agreement"),
    "average": gettext_lazy("Average annotator"),
}
TABLE4 = ("human_score", "upper_bound", "agreement")
PARTS = {"answer": gettext_lazy("Answer"), "support": gettext_lazy("Support")}
CELLS = [("answer", "em"), ("answer", "f1"), ("support", "em"), ("support", "f1")]


def exhibit(content: JSON) -> JSON:
    """The context of the report's page besides its batch."""
    datasets = content["datasets"]
    return {
        "intervals": content.get("intervals", ""),
        "rule": content.get("rule", ""),
        "studies": [_study(name, found) for name, found in datasets.items()],
        "quotes": _quotes(datasets),
        "paragraph": "\n\n".join(_paragraph(name, found) for name, found in datasets.items() if found["n"]),
    }


def corrected_rows(content: JSON) -> list[JSON]:
    """The human score of each dataset against gold and against corrected gold; none where no gold was corrected."""
    after = (content.get("corrected") or {}).get("datasets", {})
    return [
        {
            "name": name,
            "rows": [
                {"label": label, "before": _human(content["datasets"][name], key), "after": _human(found, key)}
                for key, label in (("em", "EM"), ("f1", "F1"))
            ],
        }
        for name, found in after.items()
    ]


def _human(found: JSON, key: str) -> JSON:
    figure: JSON = found["answer"]["human_score"][key]
    return figure


def _study(name: str, found: JSON) -> JSON:
    return {
        "name": name,
        "found": found,
        "measures": [{"label": label, "cells": _cells(found, m)} for m, label in MEASURES.items()],
        "charts": [{"label": label, "chart": _chart(found, part)} for part, label in PARTS.items()],
        "series": [{"number": k, "label": MEASURES[m]} for k, m in enumerate(TABLE4)],
        "slices": list(_slices(found)),
        "workers": [{"name": w, "found": row} for w, row in found["by_worker"].items()],
        "models": [_model(model, row) for model, row in found.get("models", {}).items()],
        "alphas": [{"label": _alpha_label(key), "figure": f} for key, f in found.get("alpha", {}).items()],
    }


def _cells(found: JSON, measure: str) -> list[JSON]:
    return [found[part][measure][kind] for part, kind in CELLS]


def _slices(found: JSON) -> Iterator[JSON]:
    """The tables by hop count and by shape: a row a value, with the four measures' F1 for answer and support."""
    for key, title in (("by_hops", _("By number of hops")), ("by_shape", _("By shape"))):
        rows = [
            {
                "label": label,
                "n": part["n"],
                "cells": [part[half][measure]["f1"] for half in PARTS for measure in TABLE4],
            }
            for label, part in found.get(key, {}).items()
        ]
        if rows:
            yield {"title": title, "rows": rows}


def _model(model: str, row: JSON) -> JSON:
    gap = row["gap"]
    return {
        "name": model,
        "n": row["n"],
        "cells": [row[part][kind] for part, kind in CELLS],
        "gaps": [gap[part][kind] for part, kind in CELLS],
    }


def _alpha_label(key: str) -> str:
    labels = {
        "no_answer": _("whether there is an answer"),
        "yes_no": _("yes, no or words"),
        "supporting_paragraph": _("whether a paragraph supports"),
    }
    return labels.get(key, key.replace("_", " "))


def _chart(found: JSON, part: str) -> Chart | None:
    """Score, upper bound and agreement (F1) over all questions and by hop count; None without any figure."""
    groups = {_("all"): _intervals(found, part)}
    for hops, row in found.get("by_hops", {}).items():
        groups[ngettext("%(n)s hop", "%(n)s hops", int(hops)) % {"n": hops}] = _intervals(row, part)
    return interval_chart(groups) if any(any(row) for row in groups.values()) else None


def _intervals(row: JSON, part: str) -> list[Interval | None]:
    figures = [row[part][measure]["f1"] for measure in TABLE4]
    return [None if f["value"] is None else (f["value"], f["low"], f["high"]) for f in figures]


def table4(datasets: Mapping[str, JSON]) -> tuple[list[str], list[list[str]]]:
    """MuSiQue's Table 4: a row a dataset, F1 of answer and support as score, upper bound and agreement."""
    columns = [(part, measure) for part in PARTS for measure in TABLE4]
    head = [_("Dataset"), "n", *(f"{PARTS[part]} F1: {MEASURES[measure]}" for part, measure in columns)]
    rows = [
        [name, str(found["n"]), *(_quoted(found[part][measure]["f1"]) for part, measure in columns)]
        for name, found in datasets.items()
    ]
    return head, rows


def _quoted(figure: JSON) -> str:
    return f"{percent(figure)} {interval(figure)}".strip()


def _quotes(datasets: Mapping[str, JSON]) -> list[JSON]:
    head, rows = table4(datasets)
    forms = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}
    return [{"id": f"quote-{n}", "label": label, "text": getattr(quoting, n)(head, rows)} for n, label in forms.items()]


def _paragraph(name: str, found: JSON) -> str:
    """A dataset's figures as a sentence of a results section."""
    answer, support = found["answer"], found["support"]
    text = _(
        "%(name)s (n = %(n)s, 95 %% intervals in brackets): the human score is %(score)s answer F1, "
        "the upper bound %(upper)s and the agreement %(agreement)s; a single annotator reaches %(average)s on average. "
        "Support F1 at %(level)s level: %(s_score)s, %(s_upper)s and %(s_agreement)s."
    )
    values = {
        "name": name,
        "n": found["n"],
        "score": _quoted(answer["human_score"]["f1"]),
        "upper": _quoted(answer["upper_bound"]["f1"]),
        "agreement": _quoted(answer["agreement"]["f1"]),
        "average": _quoted(answer["average"]["f1"]),
        "level": found["support_level"],
        "s_score": _quoted(support["human_score"]["f1"]),
        "s_upper": _quoted(support["upper_bound"]["f1"]),
        "s_agreement": _quoted(support["agreement"]["f1"]),
    }
    return text % values
