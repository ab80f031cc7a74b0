"""The papers' own tables, cell by cell, out of predictions that have their figures.

Figures: Tang et al. 2021, Tables 2 to 4; Trivedi et al. 2022, Tables 3 and 4.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from annotation.pure.reports.paper_tables import FORMS, human_tables, written
from annotation.pure.reports.tables import note_of
from tests.management.conftest import Run, run
from tests.pure.test_scorers import lines, saved

__all__ = ["run"]

OUTCOMES = ["".join(each) for each in product("cw", repeat=3)]
PARTS = ("ori", "sub1", "sub2")
# Model: EM and F1 of q, q_sub1, q_sub2 (Table 2), then the eight outcomes under EM (Table 3) and PM (Table 4).
TANG: dict[str, tuple[list[float], list[float], list[float]]] = {
    "DFGN": (
        [58.1, 71.96, 54.6, 68.54, 49.3, 60.83],
        [23.0, 9.7, 17.9, 7.5, 4.9, 17.0, 3.5, 16.5],
        [36.3, 11.9, 16.4, 6.5, 4.2, 12.1, 3.1, 9.5],
    ),
    "DecompRC": (
        [63.1, 77.61, 60.1, 75.21, 56.8, 70.77],  # the paper prints 61 for 60.1, which its Table 3 adds up to
        [31.3, 7.2, 19.1, 5.5, 3.0, 18.6, 3.4, 11.9],
        [47.4, 8.5, 17.2, 3.9, 4.0, 11.1, 1.9, 6.0],
    ),
    "CogQA": (
        [53.2, 67.82, 58.6, 69.65, 54.0, 68.49],
        [26.7, 5.8, 17.8, 2.9, 3.6, 22.5, 5.9, 14.8],
        [40.9, 6.1, 16.5, 3.4, 4.5, 15.2, 5.6, 7.8],
    ),
}
WORDS = [f"word{k}" for k in range(10)]
GOLD = " ".join(WORDS)
N = 1000


def overlapping(count: int) -> float:
    """F1 of the first so many of the ten words."""
    return 2 * count / (count + len(WORDS))


def some(count: int, others: int = 0) -> str:
    return " ".join([*WORDS[:count], *(f"other{k}" for k in range(others))])


def joined(em: list[int], pm: list[int]) -> list[tuple[str, str]]:
    """A pair of outcomes for each question: whoever is exactly right is partially right too."""
    left, flow = list(em), dict.fromkeys(product(range(8), repeat=2), 0)
    fits = {(e, p) for e, p in flow if all(OUTCOMES[p][k] == "c" or OUTCOMES[e][k] == "w" for k in range(3))}
    for target in range(8):
        for _question in range(pm[target]):
            path = way(target, left, flow, fits)
            left[path[-1]] -= 1
            for step, taken in enumerate(path):  # path: [source, outcome that gives it up, its source, ...]
                if step % 2 == 0:
                    flow[taken, path[step - 1] if step else target] += 1
                else:
                    flow[path[step - 1], taken] -= 1
    return [(OUTCOMES[e], OUTCOMES[p]) for (e, p), count in flow.items() for _question in range(count)]


def way(target: int, left: list[int], flow: dict[tuple[int, int], int], fits: set[tuple[int, int]]) -> list[int]:
    """Breadth first, a way to give one question to the target, taking it from others where needed."""
    open_, seen = [[source] for source in range(8) if (source, target) in fits], set()
    while open_:
        path = open_.pop(0)
        if left[path[-1]]:
            return path
        for other in range(8):
            if flow[path[-1], other] and other not in seen:
                seen.add(other)
                open_ += [[*path, other, source] for source in range(8) if (source, other) in fits]
    raise AssertionError("the paper's tables contradict each other")


def answers(pairs: list[tuple[str, str]], part: int, f1: float) -> dict[str, str]:
    """Of each question an answer that is right, partially right or wrong, adding up to the mean F1 (percent)."""
    rest, said = f1 * N / 100, {}
    for number, (exact, partial) in enumerate(pairs):
        if partial[part] == "c":
            said[f"q{number}"] = some(10 if exact[part] == "c" else 9)
            rest -= 1.0 if exact[part] == "c" else overlapping(9)
    for number in (number for number, (_exact, partial) in enumerate(pairs) if partial[part] == "w"):
        count = max((k for k in range(5) if overlapping(k) <= rest), default=0)
        said[f"q{number}"] = some(count)
        rest -= overlapping(count)
        if not count and rest > 0.04:
            others = round(2 / rest - 11)
            said[f"q{number}"], rest = some(1, others), 0.0
    assert abs(rest) < 0.05
    return said


def folder(path: Path, files: dict[str, Any]) -> Path:
    path.mkdir()
    for part, value in files.items():
        saved(path / f"dev_{part}.json", value)
    return path


@pytest.fixture
def tang(tmp_path: Path) -> list[Any]:
    """The command's arguments for three models."""
    gold = folder(tmp_path / "gold", {part: [{"_id": f"q{k}", "answer": GOLD} for k in range(N)] for part in PARTS})
    result: list[Any] = ["evaluate", "--format", "subqa", "--gold", gold]
    for model, (scores, em, pm) in TANG.items():
        pairs = joined([round(10 * share) for share in em], [round(10 * share) for share in pm])
        assert len(pairs) == N
        said = {part: answers(pairs, k, scores[2 * k + 1]) for k, part in enumerate(PARTS)}
        result += ["--predictions", f"{model}={folder(tmp_path / model, said)}"]
    return result


def cells(table: dict[str, Any], words: int) -> list[list[float]]:
    return [[float(cell) for cell in row[words:]] for row in table["rows"]]


def test_the_sub_question_papers_tables_come_out_cell_by_cell(run: Run, tang: list[Any]) -> None:
    scores, em, pm = run(*tang, "--json").document["tables"]
    assert (scores["spans"], scores["columns"]) == (
        [["", 1], ["q", 2], ["q_sub1", 2], ["q_sub2", 2]],
        ["Model", "EM", "F1", "EM", "F1", "EM", "F1"],
    )
    assert [row[0] for row in scores["rows"]] == list(TANG)
    assert cells(scores, 1) == [model[0] for model in TANG.values()]
    assert scores["rows"][0][1:3] == ["58.1", "71.96"]
    for number, table in enumerate((em, pm), 1):
        assert table["columns"] == ["q", "q_sub1", "q_sub2", "DFGN", "DecompRC", "CogQA"]
        assert ["".join(row[:3]) for row in table["rows"]] == OUTCOMES
        assert cells(table, 3) == [list(row) for row in zip(*(model[number] for model in TANG.values()), strict=True)]
    assert pm["rows"][4] == ["w", "c", "c", "4.2", "4.0", "4.5"]


def test_they_can_be_pasted_as_latex_markdown_and_csv_with_other_decimals(run: Run, tang: list[Any]) -> None:
    latex = run(*tang, "--table", "latex").out
    assert r" & \multicolumn{2}{c}{$q$} & \multicolumn{2}{c}{$q_{sub1}$} & \multicolumn{2}{c}{$q_{sub2}$} \\" in latex
    assert r"DFGN & 58.1 & 71.96 & 54.6 & 68.54 & 49.3 & 60.83 \\" in latex
    assert r"$q$ & $q_{sub1}$ & $q_{sub2}$ & DFGN & DecompRC & CogQA \\" in latex
    assert r"c & w & w & 7.5 & 5.5 & 2.9 \\" in latex
    assert "| w | w | w | 9.5 | 6.0 | 7.8 |" in run(*tang, "--table", "markdown").out
    assert "CogQA,53.2,67.82,58.6,69.65,54.0,68.49" in run(*tang, "--table", "csv").out
    assert r"CogQA & 53.200 & 67.8" in run(*tang, "--table", "latex", "--decimals", 3).out


# Dataset: An and Sp of Human Score, Human UB, the best-known models and the DiRe Score (Table 4).
TABLE4 = {
    "HQ-20K": {"Score": (84.5, 92.5), "UB": (91.8, 96.0), "RNN": (51.0, 82.4), "DiRe Score": (68.8, 93.0)},
    "2W-20K": {"Score": (83.2, 99.3), "UB": (89.0, 100.0), "RNN": (52.7, 94.9), "DiRe Score": (63.4, 98.5)},
    "MuSiQue-Ans": {"Score": (78.0, 93.9), "UB": (88.6, 97.3), "RNN": (13.6, 41.9), "DiRe Score": (37.8, 63.4)},
}
SPANS = [["", 1], ["HQ-20K", 2], ["2W-20K", 2], ["MuSiQue-Ans", 2]]


def probe(path: Path, dataset: str) -> list[Any]:
    """Gold and predictions of a probe on which a model has the paper's two figures."""
    right, backed = (round(10 * figure) for figure in TABLE4[dataset]["DiRe Score"])
    gold, said = [], []
    for number in range(N):
        for title in ("A", "B"):
            gold.append({"_id": f"q{number}", "answer": "tin", "supporting_facts": [[title, 0]]})
            found = [title] if number < backed else ["C"]
            said.append({"question_id": f"q{number}", "answer": "tin" if number < right else "salt"})
            said[-1] |= {"supporting_paragraphs": found, "supporting_sentences": [[one, 0] for one in found]}
    files = saved(path / f"{dataset}.json", gold), lines(path / f"{dataset}.jsonl", said)
    return ["--gold", f"{dataset}={files[0]}", "--predictions", files[1]]


def test_the_dire_scores_of_musiques_table_4_come_out_cell_by_cell(run: Run, tmp_path: Path) -> None:
    result = ["evaluate", "--format", "dire-probe", *(arg for name in TABLE4 for arg in probe(tmp_path, name))]
    *by_metric, table = run(*result, "--json").document["tables"]
    assert [one["columns"] for one in by_metric] == [
        ["Model", "Ans", "Supp_p", "Supp_s", "Ans + Supp_p", "Ans + Supp_s"]
    ] * 3
    assert (table["spans"], table["columns"]) == (SPANS, ["", *("An", "Sp") * 3])
    assert table["rows"] == [["DiRe Score", "68.8", "93.0", "63.4", "98.5", "37.8", "63.4"]]
    latex = run(*result, "--table", "latex").out
    assert r"DiRe Score & 68.8 & 93.0 & 63.4 & 98.5 & 37.8 & 63.4 \\" in latex
    assert r"Model & Ans & Supp$_p$ & Supp$_s$ & Ans + Supp$_p$ & Ans + Supp$_s$ \\" in latex


def mark(percent: float) -> dict[str, Any]:
    return {"f1": {"value": percent / 100, "low": None, "high": None, "n": 125}}


def study(figures: dict[str, tuple[float, float]], agreement: tuple[float, float] = (0.0, 0.0)) -> dict[str, Any]:
    measures = {"human_score": figures["Score"], "upper_bound": figures["UB"], "agreement": agreement}
    made: dict[str, Any] = {
        part: {measure: mark(pair[k]) for measure, pair in measures.items()}
        for k, part in enumerate(("answer", "support"))
    }
    rnn = figures["RNN"]
    return made | {"n": 125, "models": {"RNN": {"n": 125, "answer": mark(rnn[0]), "support": mark(rnn[1])}}}


def test_musiques_tables_3_and_4_come_out_cell_by_cell() -> None:
    [table] = human_tables({name: study(figures) for name, figures in TABLE4.items()})
    assert (table["spans"], table["columns"]) == (SPANS, ["", *("An", "Sp") * 3])
    assert [row[0] for row in table["rows"]] == ["Score", "UB", "RNN"]
    expected = [[figure for of in TABLE4.values() for figure in of[name]] for name in ("Score", "UB", "RNN")]
    assert cells(table, 1) == expected
    table3, _table4 = human_tables({"ours": study(TABLE4["MuSiQue-Ans"], (84.1, 91.4))})
    assert table3["columns"] == ["", "Answer F1", "Support F1"]
    assert table3["rows"] == [["Score", "78.0", "93.9"], ["UB", "88.6", "97.3"], ["Agr", "84.1", "91.4"]]
    assert [written(table3, form).count("84.1") for form in FORMS] == [1, 1, 1]
    assert r"Agr & 84.1 & 91.4 \\" in written(table3, "latex")


def test_a_model_that_answered_fewer_items_does_not_stand_beside_people() -> None:
    studies = {name: study(figures) for name, figures in TABLE4.items()}
    studies["2W-20K"]["models"]["RNN"]["n"] = 124
    [table] = human_tables(studies)
    assert table["rows"][2] == ["RNN", "51.0", "82.4", None, None, "13.6", "41.9"]
    assert note_of(table) == "RNN is left out for 2W-20K: it has predictions for 124 of the 125 items."
    studies["HQ-20K"]["models"] = studies["MuSiQue-Ans"]["models"] = {}
    assert [row[0] for row in human_tables(studies)[0]["rows"]] == ["Score", "UB"]


def test_what_cannot_stand_side_by_side_is_refused(run: Run, tmp_path: Path) -> None:
    one, two = probe(tmp_path, "HQ-20K"), probe(tmp_path, "2W-20K")
    for arguments, why in (
        ([*one, *two[2:]], ""),
        ([*one, *two[:2]], "2 files of gold for 1 of predictions; give one --gold, or one for each --predictions"),
        ([*one, *one[2:]], "two files of predictions are called HQ-20K; tell them apart with NAME=FILE"),
        ([*one, *two, "--original-predictions", one[3]], "run evaluate for each model"),
    ):
        ended = run("evaluate", "--format", "dire-probe", *arguments)
        assert (ended.code, why in ended.err) == (1 if why else 0, True)
    ended = run("evaluate", "--format", "hotpotqa", *one, "--table", "csv")
    why = "several models and tables are for subqa and the kinds of DiRe and NMF, not for hotpotqa"
    assert (ended.code, why in ended.err) == (1, True)
    assert json.loads(run("evaluate", "--format", "dire-probe", *one, "--decimals", 3, "--json").out)["n"] == N
