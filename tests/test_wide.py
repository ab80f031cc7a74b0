"""`make quick` leaves out what took long: all cases of a test function, or all but the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import wide
from tests.conftest import case_order

MEASURED = """<testsuites><testsuite>
<testcase classname="tests.pure.test_a" name="test_quick" time="0.01"/>
<testcase classname="tests.pure.test_a" name="test_long" time="0.5"/>
<testcase classname="tests.pure.test_a" name="test_many[a]" time="0.05"/>
<testcase classname="tests.pure.test_a" name="test_many[b]" time="0.05"/>
<testcase classname="tests.test_architecture" name="test_the_house_keeps_its_rules" time="5"/>
</testsuite></testsuites>"""


def test_the_list_has_what_took_long(tmp_path: Path) -> None:
    (tmp_path / "measured.xml").write_text(MEASURED)
    assert wide.lines_of([tmp_path / "measured.xml"]) == [
        "tests/pure/test_a.py::test_long",
        "tests/pure/test_a.py::test_many first",
    ]


@pytest.mark.parametrize("number", range(3))
def test_what_is_listed_is_marked(number: int, request: pytest.FixtureRequest) -> None:
    """`number` stands for three cases, whichever of them run."""
    name = f"{Path(__file__).relative_to(wide.LIST.parents[1])}::test_what_is_listed_is_marked"
    cases = [item for item in request.session.items if item.nodeid.startswith(name)]
    for line, first_stays in [(f"{name} first", True), (name, False)]:
        for item in cases:
            item.own_markers = [marker for marker in item.own_markers if marker.name != "wide"]
        wide.mark(cases, [line], case_order)
        unmarked = [item for item in cases if not item.get_closest_marker("wide")]
        assert unmarked == (sorted(cases, key=case_order)[:1] if first_stays else [])
