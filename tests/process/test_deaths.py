"""A job killed between any two of its steps is taken up again once, and comes to what it would have come to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.process.installation import Installation


def test_a_job_killed_before_every_third_of_its_writes_doubles_and_loses_nothing(
    install: Callable[..., Installation], tmp_path: Path
) -> None:
    kill_jobs(install(), tmp_path / "files", every=3)


@pytest.mark.soak
def test_a_job_killed_before_each_of_its_writes_doubles_and_loses_nothing(
    install: Callable[..., Installation], tmp_path: Path
) -> None:
    kill_jobs(install(), tmp_path / "files", every=1)


def kill_jobs(installation: Installation, folder: Path, *, every: int) -> None:
    folder.mkdir()
    result = json.loads(installation.run(["-m", "tests.process.deaths", str(folder), str(every)]))
    hungry = result["hungry"]
    assert (hungry["came"], hungry["state"], hungry["taken"]) == ([False] * 3, "failed", False)
    assert "3 times" in hungry["error"]
    assert "memory" in hungry["error"]
    assert hungry["datasets"] == {}, "nothing half done is shown"
    assert (hungry["then"], hungry["datasets_then"]) == (True, {"hungry": 4})
    for kind, life in result["lives"].items():
        assert life["deaths"] > 1, kind
        assert life["ill"] == {}, f"{kind}: its second run ended otherwise after a death before that write"
    sizes = {"hungry": 4, "wells": 4, "drawn": 2, "gathered": 4}
    found = result["datasets"]
    assert {name: sizes[name.partition("-")[0]] for name in found} == found
    assert len(found) == 1 + sum(result["lives"][kind]["deaths"] + 1 for kind in ("import", "derive", "gather"))
    assert result["items"] == sum(found.values()), "nothing half done is kept"
    assert result["batches"] == [["open", 4]] * (result["lives"]["launch"]["deaths"] + 1)
    assert (result["reports"], result["files"]) == (1, [])
