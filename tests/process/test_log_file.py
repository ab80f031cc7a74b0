"""The file that several processes log to: renamed when it is full, without a line lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.process.installation import ROOT

WRITE = """
import logging, sys
from annotation.operations.logs import SharedFileHandler
log = logging.getLogger("shared")
log.addHandler(SharedFileHandler(sys.argv[1], largest=4000, kept=int(sys.argv[3])))
for number in range(2000):
    log.warning("%s wrote line %d", sys.argv[2], number)
"""


def logged(file: Path, writers: int, kept: int) -> list[Path]:
    """The files that processes leave which write 2,000 lines each at the same time."""
    command = [sys.executable, "-c", WRITE, str(file)]
    running = [subprocess.Popen([*command, f"process-{k}", str(kept)], cwd=ROOT) for k in range(writers)]
    assert [process.wait(60) for process in running] == [0] * writers
    return list(file.parent.glob("hopscribe.log*"))


def test_no_line_is_lost_when_several_processes_rename_the_file(tmp_path: Path) -> None:
    files = logged(tmp_path / "logs/hopscribe.log", writers=3, kept=100)
    assert len(files) > 10
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(f"process-{k} wrote line {number}" for k in range(3) for number in range(2000))


def test_only_the_last_files_are_kept(tmp_path: Path) -> None:
    files = logged(tmp_path / "logs/hopscribe.log", writers=1, kept=2)
    assert {file.name for file in files} == {"hopscribe.log", "hopscribe.log.1", "hopscribe.log.2"}
    assert all(file.stat().st_size < 4100 for file in files)
    assert "process-0 wrote line 1999" in "".join(file.read_text() for file in files)


def test_a_file_that_cannot_be_written_does_not_stop_what_is_logged(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    assert logged(tmp_path / "logs/hopscribe.log", writers=1, kept=2) == []
