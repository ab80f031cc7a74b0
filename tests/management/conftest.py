"""`manage.py` as a person or a script runs it, and a dataset and a batch made by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django.db
import pytest
from django.core.management import ManagementUtility

from annotation.flow.people import consent
from annotation.flow.projects.projects import project_named
from tests.conftest import write_records


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that stdout holds."""
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`manage.py ...` as from a shell, on the test's connection."""
    monkeypatch.setattr(django.db.connections, "close_all", lambda: None)

    def ended(*arguments: object) -> Ended:
        capsys.readouterr()
        code = 0
        try:
            ManagementUtility(["manage.py", *map(str, arguments)]).execute()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ended(code, out, err)

    return ended


@pytest.fixture
def wells(run: Run, tmp_path: Path, db: None) -> Path:
    """The file of a dataset `wells` in the default project, imported by command; its consent text is finished."""
    file = write_records(tmp_path / "wells.jsonl")
    consent.fill_in(project_named(), contact="ada@example.org", ethics="board 7")
    assert run("import_dataset", file, "--format", "jsonl", "--name", "wells").code == 0
    return file


@pytest.fixture
def study(run: Run, wells: Path) -> Path:
    """A launched batch `study` over `wells`."""
    assert run("create_batch", "study", "--task", "answer", "--dataset", "wells", "--assignments", 2).code == 0
    return wells


def refused(ended: Ended, *texts: str) -> None:
    """Exit 1 with the reason on stderr and, where JSON was asked for, in the one document too."""
    assert ended.code == 1
    for text in texts:
        assert text in ended.err
    if ended.out:
        assert texts[0] in ended.document["refused"] or texts[0] in json.dumps(ended.document)
