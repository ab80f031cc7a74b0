"""`manage.py power`: what a planned study can find."""

from __future__ import annotations

import pytest

from tests.management.conftest import Run

PLAN = ("--items", 115, "--workers", 30, "--first", 80, "--second", 75, "--seed", 3)


def test_a_plan_is_told_in_sentences_that_name_seed_and_assumptions(run: Run, db: None) -> None:
    ended = run("power", *PLAN)
    assert ended.code == 0
    for said in (
        "the same 115 items, with 3 responses to an item",
        "690 responses",
        "between 80 % and 75 %",
        "(seed 3)",
        "items account for 50 % and annotators for 5 %",
        "correlate by 0.8",
        "Variance between workers",
    ):
        assert said in ended.out
    found = run("power", *PLAN, "--json").document
    assert found["responses"] == 690
    assert 0.2 < found["power"]["value"] < 0.45
    assert found["power"]["n"] == found["simulations"] == 2000
    assert found == run("power", *PLAN, "--json").document


@pytest.mark.soak
def test_a_budget_lists_what_it_buys(run: Run, db: None) -> None:
    ended = run("power", *PLAN, "--price", "0.25", "--budget", "300", "--json")
    (budget, _assumptions) = ended.document["tables"]
    rows = {(row[0], row[2]): row for row in budget["rows"]}
    assert rows[3, 30][1:5] == [200, 30, 1200, "300.00"]
    assert rows[5, 60][1:5] == [120, 60, 1200, "300.00"]
    assert all(row[5]["value"] > 0 for row in budget["rows"])


def test_plans_that_cannot_be_are_refused_with_the_reason(run: Run, wells: object) -> None:
    ended = run("power", "--items", 10, "--workers", 3)
    assert (ended.code, "at least 6 workers" in ended.err) == (1, True)
    assert "needs the price" in run("power", *PLAN, "--budget", "300").err
    assert "no batch none" in run("power", *PLAN, "--pilot", "none").err
    assert run("power", "--items", 1, "--workers", 3).code == 2
