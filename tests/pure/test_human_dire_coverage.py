"""The human DiRe row has a zero: a short form of `make bench coverage` with a known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotation.pure.studies.human_dire_report import PEOPLE, report, split_units
from tests.bench import coverage_dire as simulation


@pytest.mark.parametrize(("needs", "spread"), [(0.0, 0.6), (0.175, 0.0)])
def test_d_minus_p_reads_what_is_true_and_the_range_holds_it(needs: float, spread: float) -> None:
    """A minimum per question would read 9 points more."""
    found = simulation.simulated(needs, spread, runs=60, splits=False)
    assert 100 * found.mean == pytest.approx(100 * needs, abs=1.5)
    assert found.covered > 0.87
    assert found.excludes_zero >= 0.95 if needs else found.excludes_zero < 0.13
    assert min(found.independent, found.comonotone) > 0.87


def test_the_simulation_computes_what_the_report_says() -> None:
    drawn = simulation.study(np.random.default_rng(5), simulation.world(0.175, 0.6))
    fast = simulation.rows(drawn, seed=7)
    slow = report(simulation.as_questions(drawn), {}, 7)["rows"][PEOPLE]
    for name in ("d_minus_p", "dire_range", "split"):
        assert slow[name]["answer_em"] == pytest.approx(getattr(fast, name).as_json()), name


def test_the_worlds_differ_by_what_needs_connecting() -> None:
    """Checked by drawing people for the same questions, not by the quadrature that made the world."""
    for spread in simulation.SPREADS:
        of = simulation.world(0.175, spread)
        rng = np.random.default_rng(1)
        drawn = [simulation.study(rng, of).right for _run in range(300)]
        d, p = (np.mean([right[:, part] for right in drawn]) for part in (slice(0, 3), slice(3, 6)))
        assert d - p == pytest.approx(0.175, abs=0.01)
        alike = replace(of, shift=0.0)
        pairs = [simulation.study(rng, alike).right for _run in range(300)]
        both = np.mean([right[:, 0] & right[:, 3] for right in pairs])
        assert both == pytest.approx(simulation.world(0.0, spread).both_independent, abs=0.015)


def test_the_split_control_is_about_zero_and_leaves_out_who_answered_alone() -> None:
    rng = np.random.default_rng(2)
    given = [{f"w{w}": [float(rng.random() < 0.7)] for w in rng.choice(30, 3, False)} for _question in range(60)]
    [units] = split_units([*given, {"w1": [1.0]}, {}], 3)
    assert [unit.value is None for unit in units] == [False] * 60 + [True]
    values = [unit.value or 0.0 for unit in units]
    assert abs(float(np.mean(values))) < 0.02
    assert len({*values}) > 1
    assert split_units([*given], 3) == [units[:60]]
    renamed = [{f"x{99 - int(name[1:])}": marks for name, marks in row.items()} for row in given]
    assert [unit.value for unit in split_units(renamed, 3)[0]] == values[:60], "halves do not depend on names"
    assert split_units([], 3) == []
    [[even]] = split_units([{"a": [0.5], "b": [0.5]}], 3)
    assert even.value == 0
    assert even.without == {"a": None, "b": None}
