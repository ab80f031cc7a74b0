"""The mutation tests break what they should, leave alone what they should, and know who noticed (docs/proof.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from textwrap import dedent

import pytest

from tests.mutants import ROOT, targets
from tests.mutants.__main__ import drawn, equivalents, everything
from tests.mutants.mutations import mutants
from tests.mutants.runner import PLAN

PRICING = "annotation/pure/money/pricing.py"


def broken(body: str) -> set[str]:
    """What the lines of a function can become."""
    text = "def f(a, b):\n" + "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
    return {mutant.after for mutant, _tree in mutants("a.py", text)}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("return a <= b", {"return None", "return a < b"}),
        ("return a + b", {"return None", "return a - b"}),
        ("return a or not b", {"return None", "return a and (not b)", "return a or b"}),
        ("a.b = 1", {"pass", "a.b = 0", "a.b = 2"}),
        ("a += 2", {"pass", "a += 3"}),
        ("raise Wrong('a')", {"pass"}),
        ("x = True if a else b", {"x = False if a else b", "x = True if True else b", "x = True if False else b"}),
        ("x = [k for k in a if k]", {"x = [k for k in a if True]", "x = [k for k in a if False]"}),
        ("x = a.quantize(rounding=ROUND_HALF_UP)", {"x = a.quantize(rounding=ROUND_DOWN)"}),
        ("x = math.ceil(min(a, b))", {"x = math.floor(min(a, b))", "x = math.ceil(max(a, b))"}),
        (
            "x = rows.filter(a, b=a).order_by('a')",
            {"x = rows.filter(a, b=a)", "x = rows.order_by('a')"}
            | {"x = rows.filter(a).order_by('a')", "x = rows.filter(b=a).order_by('a')"},
        ),
        ("x = Q(a=a) | ~Q(b=b)", {"x = Q(a=a) & ~Q(b=b)", "x = Q(a=a) | Q(b=b)"}),
    ],
)
def test_a_line_is_broken_in_each_way_that_it_offers(line: str, wanted: set[str]) -> None:
    assert broken(line) == wanted


def test_of_a_statement_with_a_body_the_header_and_each_line_are_broken() -> None:
    text = """
    while a:
        if b == a:
            continue
        a.go()
    """
    loop, tests = {"while False:"}, {"if True:", "if False:", "if b != a:"}
    assert broken(text) == loop | tests | {"pass"}


def test_texts_docstrings_logs_annotations_locks_and_mere_speed_are_left_alone() -> None:
    text = '''
    """Says 1 + 1."""
    log.info("%s of %s", a, 2)
    x: Literal[1] = _("Not one of %(n)s") % {"n": a}
    y = rows.select_for_update(of=("self",), no_key=True).select_related(None).iterator(chunk_size=100)
    z = "a" + b
    '''
    assert broken(text) == set()


def test_a_sample_is_drawn_by_its_seed_and_a_larger_one_goes_on_from_it() -> None:
    few = drawn([PRICING], count=5, seed=1)
    assert drawn([PRICING], count=9, seed=1)[:5] == few
    assert drawn([PRICING], count=5, seed=2) != few


def test_everything_that_moves_money_is_among_the_targets() -> None:
    names = {Path(path).stem for path in targets()}
    assert {
        "ledger",
        "batch_funds",
        "assignment_approval",
        "payouts",
        "pricing",
        "table_files",
        "money",
        "bonuses",
    } <= names


def test_each_equivalent_names_a_mutant_that_can_be_made_and_says_why() -> None:
    known = equivalents()
    paths = sorted({name.partition(" ")[0] for name in known})
    possible = {mutant.name for mutant in everything(paths)} if paths else set()
    assert not (gone := [name for name in known if name not in possible]), "\n\n".join(gone)
    assert all(len(why) > 20 for why in known.values())


@pytest.mark.soak
def test_a_mutant_dies_by_a_test_that_notices_and_lives_where_none_does(tmp_path: Path) -> None:
    wish = next(mutant for mutant in everything([PRICING]) if mutant.after.endswith("rounding=ROUND_DOWN)"))
    noticing, blind = (
        f"tests/pure/test_pricing.py::test_half_a_cent_is_rounded_up[{id}]" for id in ("0.105-0.11", "0.104-0.10")
    )
    rows = [{"mutant": asdict(wish), "tests": tests} for tests in ([blind, noticing], [blind])]
    (tmp_path / "plan").write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = {PLAN: str(tmp_path / "plan"), "MUTANTS_FOLDER": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:randomly",
        "-p",
        "tests.mutants.runner",
        "tests/pure/test_pricing.py",
    ]
    subprocess.run(command, cwd=ROOT, env=os.environ | output, check=True, capture_output=True, timeout=300)
    results = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [(row["result"], row["by"]) for row in results] == [("killed", noticing), ("survived", "")]
