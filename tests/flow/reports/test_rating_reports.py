"""Reports of batches of ratings: people's published ratings, the methods paragraph, and the pages."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.reports import batch_scores, methods_facts
from annotation.flow.reports.dataset_documents import card_of, datasheet_of
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Batch
from annotation.pure.reports import methods
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import cell_text
from tests.batches import create_batch
from tests.flow.reports.report_figures import contradicting
from tests.flow.review.test_response_import import lines
from tests.flow.scored import imported
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]


def rated(project: Any, folder: Path, criterion: JSON, given: dict[str, dict[str, Any]]) -> Batch:
    """A batch of one criterion with people's ratings by item: {person: {item: value}}."""
    names = sorted({item for own in given.values() for item in own})
    records = [{"id": name, "question": name, "paragraphs": [], "answers": []} for name in names]
    dataset = imported(project, folder, "reviews", records)
    rubric = {"show": ["question"], "criteria": [{"ask": "What do you think?", **criterion}]}
    terms: JSON = {"assignments_per_hit": len(given), "options": {"rubric": rubric}, "instructions": "Read."}
    batch = create_batch(project, "judged", task="rate", datasets=[dataset], **terms)
    batch_launch.launch(batch)
    rows = [
        {"dataset": "reviews", "item": names.index(item), "worker": person, "answer": {criterion["name"]: value}}
        for person, own in given.items()
        for item, value in own.items()
    ]
    import_responses(batch, lines(folder / "judged.said", rows))
    return batch


@pytest.mark.parametrize(
    ("file", "criterion", "level"),
    [
        ("cebab_stars_human.json", {"name": "stars", "scale": [1, 5]}, "ordinal"),
        ("cebab_aspects_human.json", {"name": "aspect", "choice": ["Positive", "Negative", "unknown"]}, "nominal"),
    ],
)
def test_ten_peoples_published_ratings_have_the_alpha_of_another_implementation(
    project: Any, tmp_path: Path, file: str, criterion: JSON, level: str
) -> None:
    given = {  # every third item, so that the test is quick
        person: {x: y for x, y in own.items() if int(x.partition("__")[0]) % 3 == 0}
        for person, own in json.loads(shared_data(f"judges/{file}").read_text()).items()
    }
    content = batch_scores.score_batch(rated(project, tmp_path, criterion, given))
    items, codes = sorted({item for own in given.values() for item in own}), criterion.get("choice", range(6))
    grid = [[codes.index(own[item]) if item in own else np.nan for item in items] for own in given.values()]
    alpha = krippendorff.alpha(reliability_data=grid, level_of_measurement=level)
    rows = {cell_text(row[0]): row for row in (table_of(content, f"agreement-{criterion['name']}") or {})["rows"]}
    assert rows[f"Krippendorff's alpha ({level})"][1] == pytest.approx(alpha, abs=0.00051)
    assert contradicting(content) == []


ANSWERS = {"ana": {"a": "yes", "b": "yes", "c": "no"}, "ben": {"a": "yes", "b": "no"}, "cem": {"a": "yes"}}
ASKED = (
    "“Worker” (answer) asked for one of yes, no. "
    "For answer, 3 annotators were asked about 3 items and answered 6 of 6 times."
)
CHOICE = {"name": "answer", "ask": "Worker", "choice": ["yes", "no"]}


def test_the_methods_paragraph_says_what_was_asked_of_whom_and_how_far_they_agree(project: Any, tmp_path: Path) -> None:
    """Closed early: three of nine responses are missing. “answer” is a text of the site, too."""
    batch = rated(project, tmp_path, CHOICE, ANSWERS)
    batch_launch.close(batch)
    report = batch_scores.score_batch(batch)
    said = methods.in_words(methods_facts.facts_of(batch, report))
    for sentence in (
        ASKED,
        "Responses planned for each item: 3; obtained: 1 to 3 (2.0 on average).",
        "Agreement on “answer” compares 4 pairs of responses.",
        "Raw agreement of two annotators is 0.500 (n = 2",
        "Krippendorff's alpha (nominal) is 0.000 (n = 2",
    ):
        assert sentence in said, said
    assert "asked for" not in methods.in_words(methods_facts.facts_of(batch, None)), "the report is out of date"


def test_the_report_page_and_its_files_have_the_requesters_words(
    project: Any, alice: Any, client: Any, tmp_path: Path
) -> None:
    batch = rated(project, tmp_path, {**CHOICE, "ask": "Is it <b>100 %</b>_right?"}, ANSWERS)
    batch_launch.close(batch)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    html = client.get(reverse("report", args=[project.slug, batch.slug])).content.decode()
    assert "How often each value was given: Is it &lt;b&gt;100 %&lt;/b&gt;_right?" in html
    for suffix, words in (
        ("tex", r"100 \%\textless{}/b\textgreater{}\_right"),
        ("md", "| yes | 4 |"),
        ("csv", "yes,4,"),
    ):
        address = reverse("report-table", args=[project.slug, batch.slug, "values-answer", suffix])
        assert words in client.get(address).content.decode()
    svg = client.get(reverse("report-chart", args=[project.slug, batch.slug, "values-answer"])).content.decode()
    assert "&lt;b&gt;100 %" in svg


def test_datasheet_and_card_say_what_was_asked_and_how_often_and_how_far_people_agree(
    project: Any, tmp_path: Path
) -> None:
    batch = rated(project, tmp_path, CHOICE, ANSWERS)
    batch_launch.close(batch)
    create_results_dataset(batch, name="checked")
    made = project.datasets.get(slug="checked")
    assert ASKED not in datasheet_of(made), "there is no report yet"
    batch_scores.score_batch(batch)
    rubric = json.dumps(batch.options["rubric"], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(rubric.encode()).hexdigest()
    sheet, card = datasheet_of(made), card_of(made, files={})
    for text in (sheet, card):
        assert ASKED in text
        assert f'"rubric_sha256": "{digest}"' in text
        assert '"criteria"' not in text
    assert "Raw agreement of two annotators" in sheet
