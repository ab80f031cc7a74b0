"""Models beside people by stratum, of elements, of sets of labels, of what is asked in some cases; and in short."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from statistics import fmean, pvariance, variance
from typing import Any

import pytest
from scipy import stats

from annotation.flow.reports import batch_scores
from annotation.pure.reports import tables
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import cell_text, note_of
from tests import long_forms
from tests.flow.reports.test_model_figures import CHOICE, SCALE, Given, judged, predict, rows_of
from tests.pure.test_alternative_annotator import ASPECTS, STARS
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]
near = pytest.approx
CLAIMS = {"name": "claims", "ask": "Is it supported?", "choice": ["yes", "no"], "each": "claims"}
TOPICS = {"name": "topics", "ask": "What is it about?", "choices": ["war", "art", "law"]}
WHY = {"name": "why", "ask": "What is wrong?", "choice": ["fact", "style"], "if": {"sound": ["no"]}}


def answers(said: dict[int, Any], name: str) -> dict[int, JSON]:
    return {item: {name: value} for item, value in said.items()}


def flipped(value: bool, rng: random.Random, error: float) -> str:
    return "yes" if value != (rng.random() < error) else "no"


def test_each_stratum_has_the_figures_of_its_items_alone_and_its_own_guards(project: Any, tmp_path: Path) -> None:
    rng = random.Random(2)
    kinds = ["rare" if k % 5 == 0 else "usual" for k in range(300)]
    truth = [rng.random() < 0.5 for _item in range(300)]
    people = {f"w{w}": {i: flipped(truth[i], rng, 0.1) for i in range(90)} for w in range(3)}
    model = {i: flipped(truth[i], rng, 0.2) for i in range(300)}
    given = {person: answers(own, "sound") for person, own in people.items()}
    batch = judged(project, tmp_path, [CHOICE], given, 300, fields=lambda k: {"kind": kinds[k]}, by="kind")
    predict(batch, tmp_path, [{"item": i, "answer": {"sound": x}} for i, x in model.items()])
    content = batch_scores.score_batch(batch)
    rows = rows_of(content, "people-and-model-sound-by-field")
    for kind in ("rare", "usual"):
        y = {i: fmean(own[i] == "yes" for own in people.values()) for i in range(90) if kinds[i] == kind}
        f = {i: float(model[i] == "yes") for i in model if kinds[i] == kind}
        both, alone, of_model, _bias = [r for r in rows if r["Stratum"] == kind and r["Label"] == "yes"]
        n, others = len(y), [f[i] for i in f if i not in y]
        assert alone["Share"]["value"] == near(fmean(y.values()), abs=1e-9)
        assert of_model["Share"]["value"] == near(fmean(f.values()), abs=1e-9)
        assert (both["Items used, judged by people"], of_model["Items used, judged by the model"]) == (n, len(f))
        if kind == "rare":  # 18 items: ten of the rarer label are impossible
            assert both["Share"] == alone["Share"]
            assert cell_text(both["Rests on"]).startswith("People alone: fewer than ten judged items with this label")
            continue
        mean_y, mean_f = fmean(y.values()), fmean(f[i] for i in y)
        together = fmean((y[i] - mean_y) * (f[i] - mean_f) for i in y)
        rate = together / ((1 + n / len(others)) * variance(f.values()))
        rest = [y[i] - rate * f[i] for i in y]
        half = stats.t.ppf(0.975, n - 1) * (rate**2 * pvariance(others) / len(others) + pvariance(rest) / n) ** 0.5
        value = rate * fmean(others) + fmean(rest)
        assert [both["Share"][end] for end in ("value", "low", "high")] == near(
            [value, value - half, value + half], abs=1e-9
        )
    [more] = [r for r in rows if cell_text(r["Stratum"]) == "rare − usual" and r["Label"] == "yes"]
    printed = [r["Share"]["value"] for r in rows if r["Label"] == "yes" and cell_text(r["Figure"]) == "Estimate"]
    assert more["Share"]["value"] == near(printed[0] - printed[1], abs=1e-9)
    assert more["Share"]["low"] < more["Share"]["value"] < more["Share"]["high"]
    assert [more[f"Items used, judged by {who}"] for who in ("people", "the model")] == [90, 240], "of the usual alone"
    agreement = {row["Stratum"]: row for row in rows_of(content, "model-agreement-sound-by-field")}
    for kind, row in agreement.items():
        own = [i for i in range(90) if kinds[i] == kind]
        equal = []
        for person in people:
            for i in own:
                rest = [other[i] for name, other in people.items() if name != person]
                equal.append(fmean(said == model[i] for said in rest))  # of two others, as of their majority
        assert row["Model with the same annotators"]["value"] == near(fmean(equal), abs=1e-9)
        assert row["Items"] == len(own)
    assert [row["Stratum"] for row in rows_of(content, "model-rates-sound-by-field")] == ["rare"] * 2 + ["usual"] * 2
    assert table_of(content, "people-and-model-sound-by-dataset") is None, "there is one dataset"
    assert table_of(content, "alternative-annotator-sound-by-field") is None


def elements(seed: int, people: int, *, size: int = 260, n: int = 80) -> tuple[dict[str, dict[int, list[str]]], Any]:
    rng = random.Random(seed)
    truth = [[rng.random() < 0.6 - 0.1 * length for _k in range(length)] for length in rng.choices((1, 2, 4), k=size)]

    def said(i: int, error: float) -> list[str]:
        return [flipped(each, rng, error) for each in truth[i]]

    return {f"w{w}": {i: said(i, 0.1) for i in range(n)} for w in range(people)}, {
        i: said(i, 0.15) for i in range(size)
    }


def test_a_share_of_elements_is_a_ratio_of_sums_beside_the_mean_over_items(project: Any, tmp_path: Path) -> None:
    people, model = elements(4, 3)
    given = {person: answers(own, "claims") for person, own in people.items()}
    sizes = {i: len(said) for i, said in model.items()}
    fields = {i: {"claims": [{"text": f"Claim {k}.", "kind": "ab"[k % 2]} for k in range(n)]} for i, n in sizes.items()}
    batch = judged(project, tmp_path, [CLAIMS], given, len(model), fields=fields.__getitem__, by="claims.kind")
    predict(batch, tmp_path, [{"item": i, "answer": {"claims": said}} for i, said in model.items()])
    content = batch_scores.score_batch(batch)
    assert json.loads(json.dumps(content["models"])) == content["models"]

    y = {i: fmean(own[i].count("yes") for own in people.values()) for i in range(80)}
    f = {i: said.count("yes") for i, said in model.items()}
    value, half, of_model = ratio(y, f, sizes)
    rows = [row for row in rows_of(content, "people-and-model-claims") if row["Label"] == "yes"]
    both, over_items, alone, model_alone, _bias = rows
    assert [both["Share"][end] for end in ("value", "low", "high")] == near(
        [value, value - half, value + half], abs=1e-9
    )
    assert alone["Share"]["value"] == near(sum(y.values()) / sum(sizes[i] for i in y), abs=1e-9)
    assert model_alone["Share"]["value"] == near(of_model, abs=1e-9)
    assert cell_text(over_items["Figure"]) == "Estimate, mean over items"
    plain, half, _model = ratio({i: y[i] / sizes[i] for i in y}, {i: f[i] / sizes[i] for i in f}, dict.fromkeys(f, 1))
    assert [over_items["Share"][end] for end in ("value", "low")] == near([plain, plain - half], abs=1e-9)

    [row] = rows_of(content, "model-agreement-claims")
    shares = {"model": [], "people": []}  # type: ignore[var-annotated]
    for person, own in people.items():
        equal: dict[str, list[float]] = {"model": [], "people": []}
        for i, labels in own.items():
            for k, label in enumerate(labels):
                rest = [other[i][k] for name, other in people.items() if name != person]
                equal["people"].append(fmean(each == label for each in rest))
                equal["model"].append(fmean(each == model[i][k] for each in rest))
        for side, found in equal.items():
            shares[side].append(fmean(found))
    assert row["Model with the same annotators"]["value"] == near(fmean(shares["model"]), abs=1e-9)
    assert row["Annotators with the other annotators"]["value"] == near(fmean(shares["people"]), abs=1e-9)
    assert (row["Elements"], row["Items"]) == (sum(sizes[i] for i in range(80)), 80)
    strata = rows_of(content, "model-agreement-claims-by-field")
    assert [(r["Stratum"], r["Items"]) for r in strata] == [("a", 80), ("b", sum(sizes[i] > 1 for i in range(80)))]
    assert table_of(content, "alternative-annotator-claims") is None
    note = note_of(table_of(content, "people-and-model-claims") or {})
    assert "There is no alternative annotator test, which is about items." in note


def ratio(y: dict[int, Any], f: dict[int, Any], sizes: dict[int, int]) -> tuple[float, float, float]:
    """PPI++ of a ratio of sums: the estimate, half its interval over items, and the model's ratio, in fractions."""

    def parts(sums: dict[int, Any]) -> tuple[Fraction, dict[int, Fraction]]:
        exact = {i: Fraction(value).limit_denominator(10_000) for i, value in sums.items()}
        mean = Fraction(sum(sizes[i] for i in exact), len(exact))
        whole = sum(exact.values()) / sum(sizes[i] for i in exact)
        return whole, {i: whole + (exact[i] - whole * sizes[i]) / mean for i in exact}

    (_people, own), (whole, model) = parts(y), parts(f)
    n, others = len(own), [model[i] for i in model if i not in own]
    mean_y, mean_f = sum(own.values()) / n, sum(model[i] for i in own) / n
    together = sum((own[i] - mean_y) * (model[i] - mean_f) for i in own) / n
    rate = together / ((1 + Fraction(n, len(others))) * variance(model.values()))
    rest = [own[i] - rate * model[i] for i in own]
    spread = float(rate**2 * pvariance(others) / len(others) + pvariance(rest) / n)
    value = float(rate * sum(others) / len(others) + sum(rest) / n)
    return value, stats.t.ppf(0.975, n - 1) * spread**0.5, float(whole)


def test_several_labels_agree_by_jaccard_and_each_has_its_share(project: Any, tmp_path: Path) -> None:
    rng = random.Random(6)
    pools = [[topic for topic in TOPICS["choices"] if rng.random() < 0.5] or ["law"] for _item in range(150)]

    def said(i: int) -> list[str]:
        return [t for t in TOPICS["choices"] if (t in pools[i]) != (rng.random() < 0.15)] or pools[i]

    people = {f"w{w}": {i: said(i) for i in range(60)} for w in range(3)}
    model = {i: said(i) for i in range(150)}
    given = {person: answers(own, "topics") for person, own in people.items()}
    batch = judged(project, tmp_path, [TOPICS, {"name": "note", "ask": "Why?", "text": "long"}], given, 150)
    predict(batch, tmp_path, [{"item": i, "answer": {"topics": x}} for i, x in model.items()])
    content = batch_scores.score_batch(batch)

    def like(a: list[str], rest: list[list[str]]) -> float:
        return fmean(1 - len(set(a) ^ set(b)) / len(set(a) | set(b)) for b in rest)

    ahead, chances = [], []
    for person, own in people.items():
        pairs = []
        for i, x in own.items():
            rest = [other[i] for name, other in people.items() if name != person]
            of_model, of_person = (round(like(one, rest), 9) for one in (model[i], x))
            pairs.append((of_model >= of_person, of_person >= of_model))
        ahead.append(fmean(m for m, _h in pairs))
        chances.append(stats.ttest_1samp([h - m for m, h in pairs], 0.1, alternative="less").pvalue)
    [row] = rows_of(content, "alternative-annotator-topics")
    assert row["ρ (%)"] == near(100 * fmean(ahead), abs=0.05)
    beaten = stats.false_discovery_control(chances, method="by") <= 0.05
    assert row["ω (%)"] == near(100 * beaten.mean(), abs=0.05)
    shares = [r["Share"]["value"] for r in rows_of(content, "people-and-model-topics")[1::4]]
    wanted = [fmean(fmean(t in own[i] for own in people.values()) for i in range(60)) for t in TOPICS["choices"]]
    assert shares == near(wanted, abs=1e-9)
    assert table_of(content, "model-agreement-topics") is None
    assert "there is no majority" in note_of(table_of(content, "people-and-model-topics") or {})
    assert "Where no item judged by the model is used, the figure is of people alone" in note_of(content["models"][0])
    assert note_of(content["models"][0]).endswith("since they are texts, marked words, comparisons or orders: note.")


def test_what_is_asked_in_some_cases_is_compared_where_both_were_asked(project: Any, tmp_path: Path) -> None:
    rng = random.Random(8)

    def said() -> JSON:
        sound = rng.choice(("yes", "no"))
        return {"sound": sound} | ({"why": rng.choice(("fact", "style"))} if sound == "no" else {})

    people = {f"w{w}": {i: said() for i in range(70)} for w in range(3)}
    model = {i: said() for i in range(90)}
    batch = judged(project, tmp_path, [CHOICE, WHY], people, 90)
    predict(batch, tmp_path, [{"item": i, "answer": x} for i, x in model.items()])
    content = batch_scores.score_batch(batch)
    [row] = rows_of(content, "model-agreement-why")
    by: dict[str, list[float]] = {}
    for person, own in people.items():
        for i, x in own.items():
            rest = [other[i]["why"] for name, other in people.items() if name != person and "why" in other[i]]
            if "why" in x and rest and "why" in model[i]:
                by.setdefault(person, []).append(fmean(each == model[i]["why"] for each in rest))
    assert row["Model with the same annotators"]["value"] == near(fmean(map(fmean, by.values())), abs=1e-9)
    assert table_of(content, "people-and-model-why") is None
    assert "There is no estimate from people and a model" in note_of(table_of(content, "model-agreement-why") or {})
    assert "why" not in {cell_text(r["Criterion"]) for r in rows_of(content, "people-and-model-in-short")}


def in_short(
    project: Any, folder: Path, given: Given, model: dict[int, Any], size: int, criterion: JSON = CHOICE
) -> str:
    """What the report says of people and a model in words."""
    name = criterion["name"]
    batch = judged(project, folder, [criterion], {p: answers(own, name) for p, own in given.items()}, size)
    predict(batch, folder, [{"item": i, "answer": {name: x}} for i, x in model.items()])
    content = batch_scores.score_batch(batch)
    first = content["models"][0]
    sentences = [tables.sentence(one) for one in content["paragraph"][-2:]]
    assert note_of(first) == " ".join(sentences), "the card has the same sentences"
    [row] = rows_of(content, "people-and-model-in-short")
    is_used = not sentences[0].startswith("No prediction of oracle is used for ")
    both = len(model) if is_used else 0
    assert row["Items used, judged by the model"] == both, "of people alone it is no figure of both"
    n = len({item for own in given.values() for item in own})
    assert row["Items used, judged by people"] == n
    assert tables.title_of(first) == f"People and a model: {len(model):,} items, {n} judged by people"
    figure = row["Mean"] if criterion is SCALE else row["Share"]
    shown = cell_text(figure) if criterion is SCALE else tables.percent_with_interval(figure)
    assert (shown in sentences[0]) == is_used, "of people alone the figure stands in the sentences before"
    assert ("[" in shown) == is_used, "the interval of people alone is that of the table of criteria"
    return " ".join(sentences)


def labels(seed: int, n: int, error: float = 0.2, share: float = 0.5) -> tuple[dict[int, str], dict[int, str]]:
    rng = random.Random(seed)
    truth = [rng.random() < share for _item in range(n)]
    return {i: flipped(truth[i], rng, 0.05) for i in range(n)}, {i: flipped(truth[i], rng, error) for i in range(n)}


def first(said: dict[int, str], n: int) -> dict[int, str]:
    return {i: said[i] for i in range(n)}


def test_in_short_it_is_from_both_with_the_number_of_each_and_what_the_model_saved(
    project: Any, tmp_path: Path
) -> None:
    people, model = labels(1, 1200)
    said = in_short(project, tmp_path, {"w0": first(people, 150)}, model, 1200)
    assert said.startswith("“sound” by people and oracle: yes ")
    assert "(items judged by people: 150, by the model: 1,200; annotators: 1; 95 % intervals over items only)" in said
    assert "by people alone: yes " in said
    assert "People and the model: as precise as " in said


@pytest.mark.parametrize(
    ("n", "size", "error", "share", "why"),
    [
        (40, 300, 0.2, 0.05, "People alone: fewer than ten judged items with this label"),
        (150, 300, 0.0, 0.5, "People alone: the model differed from people on "),
        (100, 100, 0.2, 0.5, "People alone: they judged every item that the model judged."),
    ],
)
def test_in_short_it_is_of_people_alone_where_a_guard_says_so(
    project: Any, tmp_path: Path, n: int, size: int, error: float, share: float, why: str
) -> None:
    people, model = labels(3, size, error, share)
    people = model if not error else people
    said = in_short(project, tmp_path, {"w0": first(people, n)}, model, size)
    assert said.startswith(f"No prediction of oracle is used for sound. {why}")


def test_in_short_a_useless_model_and_few_items_of_a_mean_leave_people_alone(project: Any, tmp_path: Path) -> None:
    people, model = labels(1, 400)
    backwards = {i: "no" if x == "yes" else "yes" for i, x in model.items()}
    said = in_short(project, tmp_path, {"w0": first(people, 100)}, backwards, 400)
    assert said.endswith("People alone: with the model the interval would be no narrower.")


def test_in_short_a_mean_is_in_points_and_of_few_items_of_people_alone(project: Any, tmp_path: Path) -> None:
    rng = random.Random(5)
    stars = {i: rng.randint(1, 5) for i in range(60)}
    said = in_short(project, tmp_path, {"w0": {i: stars[i] for i in range(20)}}, stars, 60, SCALE)
    assert said == "No prediction of oracle is used for stars. People alone: fewer than 30 judged items."


def test_where_no_prediction_is_used_one_sentence_of_each_model_says_so_of_all_criteria(
    project: Any, tmp_path: Path
) -> None:
    people, model = labels(3, 100)
    of_all = {i: {"sound": x, "stars": 1 + i % 5} for i, x in people.items()}
    batch = judged(project, tmp_path, [CHOICE, SCALE], {"w0": of_all}, 100)
    for name in ("oracle", "pythia"):
        rows = [{"item": i, "answer": {"sound": x, "stars": 1 + i % 4}} for i, x in model.items()]
        predict(batch, tmp_path, rows, name)
    content = batch_scores.score_batch(batch)
    said = [tables.sentence(one) for one in content["paragraph"]]
    why = "People alone: they judged every item that the model judged."
    unused = [[f"No prediction of {name} is used for sound, stars.", why] for name in ("oracle", "pythia")]
    assert said[-4:] == [*unused[0], *unused[1]]
    intervals = [
        cell
        for table in content["models"]
        if table["name"].startswith("people-and-model")
        for row in rows_of(content, table["name"])
        for cell in [row.get("Share") or row.get("Mean")]
        if cell_text(row.get("Figure")) in ("Estimate", "People alone", "–") and cell["low"] is not None
    ]
    assert intervals == [], "a figure of people has one interval, that of the table of criteria"


@pytest.mark.parametrize(("name", "published"), long_forms.first(1, [("stars", STARS), ("aspects", ASPECTS)]))
def test_published_rows_of_the_alternative_annotator_test_come_from_a_stored_batch(
    project: Any, tmp_path: Path, name: str, published: dict[str, tuple[float, float]]
) -> None:
    given, models = (json.loads(shared_data(f"judges/cebab_{name}_{who}.json").read_text()) for who in ("human", "llm"))
    place = {item: k for k, item in enumerate(sorted({item for own in given.values() for item in own}))}
    labels = sorted({label for own in given.values() for label in own.values()})
    criterion = SCALE if name == "stars" else {"name": "aspects", "ask": "How is it?", "choice": labels}
    people = {person: answers({place[x]: y for x, y in own.items()}, name) for person, own in given.items()}
    batch = judged(project, tmp_path, [criterion], people, len(place))
    for model, told in models.items():
        predict(batch, tmp_path, [{"item": place[x], "answer": {name: told[x]}} for x in told if x in place], model)
    rows = rows_of(batch_scores.score_batch(batch), f"alternative-annotator-{name}")
    found = {row["Model"]: (round(row["ω (%)"] / 100, 2), round(row["ρ (%)"]) / 100) for row in rows}
    assert found == published
    assert {row["Annotators tested"] for row in rows} == {10}
