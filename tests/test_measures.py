"""`python -m tests.measures` counts what is there, and says what to do above a ceiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import measures

FILES = {
    "annotation/flow/money/ledger.py": '"""Two\nlines."""\n\n# a reason\nif A:\n    B = "code"\nelse:\n    C = 1\n',
    "annotation/pure/money/pricing.py": 'def price() -> int:\n    """What it costs."""\n    return 1  # cent\n',
    "annotation/pure/text/normalization.py": "X = (\n    1,\n\n    2,\n)\n",
    "tasks/answer/task.py": "def long():\n" + "    a()\n" * 50,
    "manage.py": "try:\n    a()\nexcept E:\n    b()\nfinally:\n    c()\n",
}
OTHERS = {
    "templates/a.html": "<p>\n" + "x" * 121 + "\n",
    "static/js/a.js": "a();\n",
    "tasks/answer/static/b.js": "b();",
}


@pytest.fixture
def found(tmp_path: Path) -> measures.Measures:
    for name, text in (FILES | OTHERS).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return measures.measure(tmp_path, FILES)


def test_an_invented_tree_is_counted(found: measures.Measures) -> None:
    assert found.tables()["subjects"] == {"money": 6, "annotation/pure": 4, "tasks/answer": 51, "manage": 6}
    assert found.total["statements"] == 4 + 3 + 1 + 51 + 4
    assert found.subjects["annotation/pure"]["tokens"] == len(["X", "=", "(", "1", ",", "2", ",", ")"])
    names = ("files", "long_functions", "template_lines", "wide_template_lines", "script_lines")
    assert [found.total[name] for name in names] == [5, 1, 2, 1, 2]


def test_above_a_ceiling_it_says_what_to_do(found: measures.Measures) -> None:
    most = found.tables()
    assert measures.above(found, most) == []
    fewer = {**most, "total": {**most["total"], "code_lines": 60}}
    assert measures.above(found, fewer) == [
        "code_lines: 67, and the ceiling is 60. Take 7 away, or raise the ceiling in tests/measures.toml in this "
        "commit, with the reason."
    ]
    assert len(measures.above(found, {"total": most["total"], "subjects": {}})) == 4  # subjects without a ceiling


def test_the_total_is_printed_with_the_emulator_and_without(tmp_path: Path) -> None:
    (tmp_path / "prolific-emulator").mkdir()
    (tmp_path / "prolific-emulator/a.py").write_text("A = 1\n")
    (tmp_path / "manage.py").write_text("A = 1\nB = 1\n")
    found = measures.measure(tmp_path, ["prolific-emulator/a.py", "manage.py"])
    most = {"total": {"code_lines": 10}, "walks": {}, "subjects": {"prolific-emulator": 5}}
    lines = [" ".join(line.split()) for line in measures.report(found, most, subjects=True).splitlines()]
    assert {"code_lines 3 of 10", "without prolific-emulator 2", "prolific-emulator 1 of 5 1 3"} <= set(lines)


def test_ceilings_are_lowered_and_never_raised(found: measures.Measures) -> None:
    text = '[total]\ncode_lines = 9_100  # why\nfiles = 1\n[budgets]\nratings = 800\n[subjects]\n"tasks/answer" = 700\n'
    assert measures.lowered(text, found) == text.replace("9_100", "100").replace("700", "100")


def test_tests_are_not_measured() -> None:
    assert not [name for name in measures.listed(measures.ROOT) if name.startswith("tests/")]
