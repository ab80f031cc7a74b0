"""The report of ratings: its figures beside a second implementation, for each kind of criterion."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from statistics import fmean
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.utils import translation
from django.utils.translation import gettext

from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.reports.headline import headline
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.svg import as_file
from annotation.pure.reports.table_files import as_csv, as_latex, as_markdown
from annotation.pure.reports.tables import cell_text, note_of, quotable, sentence, title_of
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses

JSON = dict[str, Any]
near = pytest.approx
TASK = task_type("rate")
ALL = [
    {"name": "faithful", "ask": "Supported?", "scale": [1, 4], "labels": ["not at all", "fully"]},
    {"name": "multihop", "ask": "More than one passage?", "choice": ["yes", "no"], "gold": "is_multihop"},
    {"name": "kinds", "ask": "Wrong?", "choices": ["typo", "fact", "tone"], "if": {"multihop": ["no"]}},
    {"name": "share", "ask": "Per cent?", "number": [0, 100]},
    {"name": "relevance", "ask": "Relevant?", "scale": [0, 3], "each": "paragraphs"},
    {"name": "better", "ask": "Better?", "best": ["a", "b"], "tie": True},
    {"name": "ranked", "ask": "In order?", "order": ["a", "b", "c"]},
    {"name": "comment", "ask": "Else?", "text": "long"},
]


def report_of(criteria: list[JSON], items: Iterable[tuple[Example, dict[str, JSON]]], **options: Any) -> JSON:
    """The report of items with their answers by worker; the seed of a page is its worker's number."""
    chosen = TASK.options({"rubric": {"show": ["question"], "criteria": criteria}, **options})
    rows = []
    for example, answers in items:
        payload = TASK.prepare(example, chosen, random.Random(1)) or {}
        given = [
            GivenResponse(worker, TASK.complete(payload, answer), 9.0, seed=k)
            for k, (worker, answer) in enumerate(answers.items())
        ]
        dataset = example.extra.get("dataset", "d")
        rows.append(HitWithResponses(example.id, dataset, "jsonl", example, payload, tuple(given)))
    content = TASK.report(rows, chosen, seed=3)
    assert json.loads(json.dumps(content)) == content, "it is stored as JSON"
    return content


def table(content: JSON, name: str) -> JSON:
    return next(each for each in content["tables"] if each["name"] == name)


def rows_of(content: JSON, name: str) -> list[JSON]:
    """The rows of a table by the names of its columns."""
    found = table(content, name)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def value(content: JSON, name: str, words: str, column: str) -> Any:
    """A cell of the row that begins with the words; of a figure its value."""
    found = next(row for row in rows_of(content, name) if cell_text(next(iter(row.values()))) == words)[column]
    return found["value"] if isinstance(found, dict) else found


def example(k: int, **extra: Any) -> Example:
    texts = [Paragraph(f"P{n}", f"Text {n}.") for n in range(1 + k % 3)]
    return Example(f"i{k}", "Q?", tuple(texts), hops=(Hop("a", "b"),) * (1 + k % 2), extra=extra)


def studied(rng: random.Random, count: int = 40, workers: int = 9) -> list[tuple[Example, dict[str, JSON]]]:
    """Items that one to three of nine workers rated by all criteria."""
    found = []
    for k in range(count):
        item = example(k, a="A", b="B", c="C", is_multihop=rng.choice(["yes", "no"]), dataset=f"d{k % 2}")
        chosen = rng.sample(range(workers), rng.randint(1, 3))
        found.append((item, {f"w{who}": answered(rng, len(item.paragraphs)) for who in chosen}))
    return found


def answered(rng: random.Random, paragraphs: int) -> JSON:
    multihop = rng.choice(["yes", "yes", "no"])
    kinds = {"kinds": rng.sample(["typo", "fact", "tone"], rng.randint(1, 3))} if multihop == "no" else {}
    return kinds | {
        "faithful": rng.randint(1, 4),
        "multihop": multihop,
        "share": rng.choice([0, 12.5, 50, 99, 100]),
        "relevance": [rng.randint(0, 3) for _k in range(paragraphs)],
        "better": rng.choice(["a", "b", "tie"]),
        "ranked": rng.sample("abc", 3),
        "comment": rng.choice(["", "Fine."]),
    }


STUDY = studied(random.Random(5))
CONTENT = report_of(ALL, STUDY)
ANSWERS = [(item, worker, answer) for item, answers in STUDY for worker, answer in answers.items()]


def theirs(name: str, level: str) -> float:
    """Alpha as the package `krippendorff` has it; of lists each element is a unit."""
    cells: dict[tuple[str, int], dict[str, Any]] = defaultdict(dict)
    for item, worker, answer in ANSWERS:
        for k, given in enumerate(answer[name] if isinstance(answer[name], list) else [answer[name]]):
            cells[item.id, k][worker] = given
    domain = sorted({given for unit in cells.values() for given in unit.values()})
    codes = {each: each if level == "interval" else k for k, each in enumerate(domain)}
    workers = sorted({worker for _item, worker, _answer in ANSWERS})
    grid = [[codes.get(unit.get(worker), np.nan) for unit in cells.values()] for worker in workers]
    return float(krippendorff.alpha(reliability_data=grid, level_of_measurement=level))


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("faithful", "ordinal"),
        ("relevance", "ordinal"),
        ("multihop", "nominal"),
        ("share", "interval"),
        ("better", "nominal"),
    ],
)
def test_alpha_of_each_kind_is_that_of_another_implementation(name: str, level: str) -> None:
    assert value(CONTENT, f"agreement-{name}", f"Krippendorff's alpha ({level})", "Value") == near(
        theirs(name, level), abs=0.00051
    )


def test_shares_and_means_are_those_of_all_elements_and_beside_them_those_of_items() -> None:
    given = {name: [answer[name] for *_who, answer in ANSWERS] for name in ("faithful", "multihop", "share")}
    elements = [each for *_who, answer in ANSWERS for each in answer["relevance"]]
    by_item = defaultdict(list)
    for item, _worker, answer in ANSWERS:
        by_item[item.id] += answer["relevance"]
    assert value(CONTENT, "values-multihop", "yes", "Share") == near(fmean(x == "yes" for x in given["multihop"]))
    assert value(CONTENT, "values-faithful", "4 (fully)", "Share") == near(fmean(x == 4 for x in given["faithful"]))
    assert value(CONTENT, "values-share", "90–100", "Responses") == sum(x >= 90 for x in given["share"])
    assert value(CONTENT, "values-relevance", "3", "Share") == near(fmean(x == 3 for x in elements))
    over_items = fmean(fmean(x == 3 for x in own) for own in by_item.values())
    assert value(CONTENT, "values-relevance", "3", "Mean over items") == near(over_items)
    means = {(row["Criterion"], cell_text(row["Interval"])): row for row in rows_of(CONTENT, "means")}
    for name in ("faithful", "share"):
        assert means[name, "Over items"]["Mean"] == near(fmean(given[name]), abs=0.00051)
        over = means[name, "Over annotators and items"]
        assert over["95 % low"] < means[name, "Over items"]["95 % low"] < over["Mean"] < over["95 % high"]
    assert means["relevance", "Mean over items"]["Mean"] == near(fmean(map(fmean, by_item.values())), abs=0.00051)


def test_what_was_not_asked_is_in_no_figure_and_texts_are_numbers_only() -> None:
    asked = [answer for *_who, answer in ANSWERS if answer["multihop"] == "no"]
    rows = {row["Criterion"]: row for row in rows_of(CONTENT, "criteria")}
    assert rows["kinds"]["Times asked"] == rows["kinds"]["Times answered"] == len(asked) < len(ANSWERS)
    assert value(CONTENT, "values-kinds", "typo", "Share") == near(fmean("typo" in x["kinds"] for x in asked))
    assert rows["relevance"]["Times asked"] == sum(len(answer["relevance"]) for *_who, answer in ANSWERS)
    assert rows["comment"]["Times answered"] == sum(answer["comment"] != "" for *_who, answer in ANSWERS)
    assert "Fine." not in json.dumps(CONTENT)


def test_systems_have_win_rates_ranks_positions_and_concordance() -> None:
    wins = [{"a": 1, "b": 0, "tie": 0.5}[answer["better"]] for *_who, answer in ANSWERS]
    assert value(CONTENT, "systems-better", "a", "Win rate") == near(fmean(wins))
    ranks = [answer["ranked"].index("b") for *_who, answer in ANSWERS]
    assert value(CONTENT, "systems-ranked", "b", "Win rate") == near(fmean((2 - rank) / 2 for rank in ranks))
    assert value(CONTENT, "systems-ranked", "b", "Mean rank") == near(1 + fmean(ranks), abs=0.00051)
    assert value(CONTENT, "systems-ranked", "b", "First place") == near(fmean(rank == 0 for rank in ranks))
    strengths = [row["Strength"] for row in rows_of(CONTENT, "systems-ranked")]
    assert sum(strengths) == near(0, abs=0.0016)
    positions = [row["Position"] for row in rows_of(CONTENT, "systems-ranked-by-position")]
    assert positions == ["1", "2", "3"]
    label = next(iter(rows_of(CONTENT, "agreement-ranked")))["Measure"]
    assert cell_text(label) == "Kendall's W (by chance 1 / number of responses to an item)"


def test_a_field_of_compared_lists_is_numbered_and_positions_are_those_of_the_page() -> None:
    """Eleven candidates of a list, of which each worker finds the one best that the page shows first."""
    criteria = [{"name": "best", "ask": "Best?", "best": "answers_of"}]
    item = example(0, answers_of=[f"answer {k}" for k in range(11)])
    chosen = TASK.options({"rubric": {"show": ["question"], "criteria": criteria}})
    payload = TASK.prepare(item, chosen, random.Random(1)) or {}
    firsts = [TASK.arrange(payload, random.Random(k))["ranked"]["best"][0] for k in range(8)]  # type: ignore[attr-defined]
    content = report_of(criteria, [(item, {f"w{k}": {"best": first} for k, first in enumerate(firsts)})])
    assert [row["Position"] for row in rows_of(content, "systems-best-by-position")] == [str(k) for k in range(1, 12)]
    assert value(content, "systems-best-by-position", "1", "First place") == 1
    assert value(content, "values-best", str(firsts[0] + 1), "Responses") == firsts.count(firsts[0])


def test_responses_are_scored_against_the_gold_of_a_criterion_and_workers_too() -> None:
    right = [float(answer["multihop"] == item.extra["is_multihop"]) for item, _worker, answer in ANSWERS]
    [row] = rows_of(CONTENT, "gold")
    assert (row["Criterion"], row["Single response"]["value"]) == ("multihop", near(fmean(right)))
    votes = [(item, Counter(answer["multihop"] for answer in answers.values())) for item, answers in STUDY]
    settled = [(item, count) for item, count in votes if count["yes"] != count["no"]]
    most = [float(max(count, key=lambda label: count[label]) == item.extra["is_multihop"]) for item, count in settled]
    assert row["Aggregated response"]["value"] == near(fmean(most))
    own = [x for x, (_item, worker, _answer) in zip(right, ANSWERS, strict=True) if worker == "w1"]
    gold = {(row["Worker"], row["Criterion"]): row["Against gold"] for row in rows_of(CONTENT, "by-worker")}
    assert gold["w1", "multihop"]["value"] == near(fmean(own))
    assert gold["w1", "faithful"] is None


def test_workers_have_bias_and_spread_beside_the_others_on_the_same_items() -> None:
    pairs = [
        (answers["w1"]["faithful"], [other["faithful"] for name, other in answers.items() if name != "w1"])
        for _item, answers in STUDY
        if "w1" in answers and len(answers) > 1
    ]
    found = {(row["Worker"], row["Criterion"]): row for row in rows_of(CONTENT, "by-worker")}["w1", "faithful"]
    assert found["Bias"] == near(fmean(own - fmean(others) for own, others in pairs), abs=0.00051)
    spread = np.std([own for own, _others in pairs]) / np.std([x for _own, others in pairs for x in others])
    assert found["Spread"] == near(spread, abs=0.00051)
    equal = [own == other for own, others in pairs for other in others]
    assert found["Equal to another response"]["value"] == near(fmean(equal))


def test_strata_are_hops_and_datasets_where_there_are_several() -> None:
    for name, key in (("hops", lambda item: len(item.hops)), ("dataset", lambda item: item.extra["dataset"])):
        for row in rows_of(CONTENT, f"strata-{name}"):
            own = [answer for item, _worker, answer in ANSWERS if key(item) == next(iter(row.values()))]
            if (row["Criterion"], row["Value"]) == ("multihop", "yes"):
                assert row["Share"]["value"] == near(fmean(answer["multihop"] == "yes" for answer in own))
            if row["Criterion"] == "faithful":
                assert row["Mean"] == near(fmean(answer["faithful"] for answer in own), abs=0.00051)
    alone = report_of(ALL, [(item, answers) for item, answers in STUDY if item.extra["dataset"] == "d0"])
    assert "strata-dataset" not in {each["name"] for each in alone["tables"]}


def test_strata_of_orders_have_first_places_and_ranks() -> None:
    for row in rows_of(CONTENT, "strata-dataset"):
        if row["Criterion"] == "ranked":
            dataset, system = row["Dataset"], row["Value"]
            own = [answer["ranked"] for item, _worker, answer in ANSWERS if item.extra["dataset"] == dataset]
            assert row["Share"]["value"] == near(fmean(order[0] == system for order in own))
            assert row["Mean"] == near(fmean(order.index(system) + 1 for order in own), abs=0.00051)
            assert row["Responses"] == len(own)
            assert row["95 % low"] <= row["Mean"] <= row["95 % high"]
    told = {
        (row["Dataset"], row["Value"]) for row in rows_of(CONTENT, "strata-dataset") if row["Criterion"] == "ranked"
    }
    assert {system for _dataset, system in told} == set("abc")


def test_strata_of_marks_have_the_share_of_words() -> None:
    criteria = [{"name": "ev", "ask": "Where?", "mark": "question"}]
    texts, given = {"d0": "Ana built it.", "d1": "Bo built a kiln."}, {"d0": [(0, 3)], "d1": [(0, 8), (9, 10)]}
    items = []
    for name, text in texts.items():
        marks = [{"part": 0, "start": start, "end": end} for start, end in given[name]]
        items.append((Example(name, text, (), extra={"dataset": name}), {"x": {"ev": marks}, "y": {"ev": []}}))
    rows = rows_of(report_of(criteria, items), "strata-dataset")
    assert [(row["Dataset"], cell_text(row["Value"]), row["Responses"]) for row in rows] == [
        ("d0", "Marked words", 2),
        ("d1", "Marked words", 2),
    ]
    assert [row["Share"]["value"] for row in rows] == [near(1 / 6), near(3 / 8)]


def test_words_count_as_marked_and_their_agreement_is_that_of_words() -> None:
    criteria = [{"name": "ev", "ask": "Where?", "mark": "question", "of": ["who", "what"]}]
    item = Example("i", "Ana built a kiln.", ())
    mark = {"part": 0, "start": 0, "end": 5, "label": "who"}  # “Ana b”: two words
    content = report_of(criteria, [(item, {"x": {"ev": [mark]}, "y": {"ev": [{**mark, "end": 3}]}, "z": {"ev": []}})])
    assert [[*row.values()][2:4] for row in rows_of(content, "marks")] == [[3, 12], [3, 12]]
    assert [row["Marked"]["value"] for row in rows_of(content, "marks")] == [near(3 / 12), 0]
    marked = [{0, 1}, {0}, set()]
    alike = [fmean((k in a) == (k in b) for k in range(8)) for a, b in combinations(marked, 2)]
    assert value(content, "agreement-ev", "Raw agreement of two annotators", "Value") == near(fmean(alike), abs=0.00051)
    grid = [[float(k in own) for k in range(8)] for own in marked]
    alpha = krippendorff.alpha(reliability_data=grid, level_of_measurement="nominal")
    assert value(content, "agreement-ev", "Krippendorff's alpha (words)", "Value") == near(alpha, abs=0.00051)


def test_two_who_rated_everything_have_weighted_kappa_and_others_none() -> None:
    rng = random.Random(2)
    criteria = [{"name": "same", "ask": "Same?", "choice": ["yes", "partly", "no"], "ordered": True}]
    items = [(example(k), {w: {"same": rng.choice(["yes", "partly", "no"])} for w in "xy"}) for k in range(20)]
    labels = [cell_text(row["Measure"]) for row in rows_of(report_of(criteria, items), "agreement-same")]
    assert labels[1:] == ["Krippendorff's alpha (ordinal)", "Weighted kappa (quadratic)", "Weighted kappa (linear)"]
    items.append((example(20), {"x": {"same": "no"}, "z": {"same": "no"}}))
    assert len(rows_of(report_of(criteria, items), "agreement-same")) == 2


def test_a_requesters_words_are_no_text_to_translate_and_may_be_in_the_readers_language() -> None:
    """“Worker” is a text of the site with German, and a formula or LaTeX's signs are words, too."""
    ask = {"en": "100 %_of it?", "de": "Zu 100 %?"}
    criteria = [
        {"name": "worker_s", "ask": "Worker", "choice": ["Worker", "=1+1"]},
        {"name": "two", "ask": ask, "choice": ["a", "b"], "labels": {"a": {"en": "One", "de": "Eins"}}},
    ]
    items = [(example(k), {f"w{n}": {"worker_s": "Worker", "two": "a"} for n in range(2)}) for k in range(3)]
    content = report_of(criteria, items)
    with translation.override("de"):
        assert gettext("Worker") != "Worker"
        found = table(content, "values-worker-s")
        assert title_of(found, gettext).endswith(": Worker")
        assert [row[0] for row in quotable(found, gettext)[1]] == ["Worker", "=1+1"]
        assert any("„Worker“ (worker_s)" in sentence(each, gettext) for each in content["asked"])
    found = table(content, "values-two")
    assert r"100 \%\_of it?" in as_latex(found)
    assert "| One | 6 |" in as_markdown(found)
    assert next(iter(csv.reader(io.StringIO(as_csv(table(content, "values-worker-s"))))))[1] == "Responses"
    assert "'=1+1" in as_csv(table(content, "values-worker-s"))
    german = {"en": "de"}  # as the German catalogue says which language it is
    assert title_of(found, lambda text: german.get(text, text)).endswith(": Zu 100 %?")
    assert quotable(found, lambda text: german.get(text, text))[1][0][0] == "Eins"


def test_the_report_begins_with_the_distribution_of_the_first_criterion_as_a_picture() -> None:
    plots = charts_of(CONTENT)
    assert (plots[0].name, plots[0].title) == ("values-faithful", "How often each value was given: Supported?")
    assert {f"values-{each['name']}" for each in ALL if "text" not in each and "order" not in each} <= {
        plot.name for plot in plots
    }
    assert all(as_file(plot).startswith(b"<?xml") for plot in plots)


def test_the_report_begins_with_one_figure_of_each_criterion() -> None:
    """A scale's mean in points, a choice's first value, the first system's win rate; with n and alpha in the table."""
    assert [(one.words, one.figure.get("points", False)) for one in headline(CONTENT)] == [
        ("Supported? mean (1–4)", True),
        ("More than one passage? “yes”", False),
        ("Wrong? “typo”", False),
        ("Per cent? mean (0–100)", True),
    ]
    rows = {row["Criterion"]: row for row in rows_of(CONTENT, "criteria")}
    given = {name: [answer[name] for *_who, answer in ANSWERS] for name in ("faithful", "multihop", "better")}
    mean, share = rows["faithful"]["Mean"], rows["multihop"]["Share"]
    assert mean["value"] == near(fmean(given["faithful"]))
    assert mean["low"] < mean["value"] < mean["high"]
    assert share["value"] == near(fmean(x == "yes" for x in given["multihop"]))
    assert rows["better"]["Share"]["value"] == near(fmean({"a": 1, "b": 0, "tie": 0.5}[x] for x in given["better"]))
    assert cell_text(rows["better"]["Figure"]) == "win rate of a"
    assert rows["faithful"]["Alpha"]["value"] == near(theirs("faithful", "ordinal"), abs=0.00051)
    assert [rows["ranked"]["Alpha"], rows["comment"]["Mean"], rows["comment"]["Share"]] == [None] * 3
    [faithful] = [
        row for row in csv.DictReader(io.StringIO(as_csv(table(CONTENT, "criteria")))) if "Supported?" in row.values()
    ]
    assert float(faithful["Mean"]) == near(mean["value"]), "in points, also in a file"
    assert cell_text(mean) == f"{mean['value']:.2f} [{mean['low']:.2f}, {mean['high']:.2f}]"


def test_fewer_than_seven_workers_have_no_figures_over_workers_and_the_table_says_why() -> None:
    few = report_of(ALL, studied(random.Random(1), workers=4))
    assert {row["Over annotators and items"] for row in rows_of(few, "values-multihop")} == {None}
    assert "at least 7 annotators, and only 4 took part" in note_of(table(few, "values-multihop"))


def test_a_report_of_nobody_or_of_one_response_says_nothing_that_is_not_so() -> None:
    nobody, one = (
        report_of(ALL, [(item, dict(list(answers.items())[:n])) for item, answers in STUDY[:1]]) for n in (0, 1)
    )
    assert (nobody["paragraph"], [row["Times asked"] for row in rows_of(nobody, "criteria")]) == ([], [0] * len(ALL))
    assert " ".join(map(sentence, one["asked"])).startswith("“Supported?” (faithful) asked for a scale from 1 to 4. “")
    said = " ".join(map(sentence, one["paragraph"]))
    assert re.search(r"“Supported\?” \(faithful\) was rated \d\.00 on average, on a scale from 1 to 4\.", said)
    assert re.search(r"“[^”]+” \(multihop\) was answered with yes \(.+ % \[.+\]\), no \(.+ % \[.+\]\)\.", said)
    assert re.search(r"“[^”]+” \(better\), the win rates, with a tie as half a win, were a \(.+ %.*\), b \(", said)
    counts = re.findall(r"For ([^.]+?), (\d) annotators? w[^.]+ about \2 items? and answered \d of \d times\.", said)
    assert sorted(name for names, _n in counts for name in names.split(", ")) == sorted(
        str(criterion["name"]) for criterion in ALL
    )
    assert "hold for this one annotator only" in said
    for content in (nobody, one):
        assert not any(each["name"].startswith("agreement") for each in content["tables"])
