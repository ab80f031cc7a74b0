"""A copy that is put back on PostgreSQL, killed at each statement: `python -m tests.process.psql_deaths SHARE`.

A `psql` of ours on the PATH passes on a number of statements, kills the process that called it, and ends like it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402

from annotation.operations import backup, restore, unfinished  # noqa: E402
from tests.process.kill_points import life, state  # noqa: E402

PSQL = """#!{python} -SE
import os, subprocess, sys
real = subprocess.Popen(["{real}", *sys.argv[1:]], stdin=subprocess.PIPE)
passed, last = 0, int(os.environ["LAST_STATEMENT"])
for line in sys.stdin.buffer:
    if line.endswith((b";\\n", b"\\\\.\\n")):
        passed += 1
        if passed == last:
            os.kill(os.getppid(), 9)
            break
    real.stdin.write(line)
real.stdin.close()
code = real.wait()
open("{count}.part", "w").write(str(passed))
os.rename("{count}.part", "{count}")
sys.exit(code)
"""


def instead_of_psql() -> Path:
    """Put our psql on the PATH; the file in which it says how many statements it saw."""
    folder, real = Path(settings.VAR) / "instead", shutil.which("psql")
    folder.mkdir()
    count = folder / "count"
    (folder / "psql").write_text(PSQL.format(python=sys.executable, real=real, count=count))
    (folder / "psql").chmod(0o700)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    return count


def main(share: int) -> dict[str, Any]:
    copy = backup.copy_before_upgrade("before-upgrade-1")
    before, count = life(state)[1], instead_of_psql()

    def put_back(last: int) -> int:
        os.environ["LAST_STATEMENT"] = str(last)
        count.unlink(missing_ok=True)
        code = life(lambda: restore.put_back(copy))[0]
        while not count.exists():  # our psql outlives the process that it kills
            os.sched_yield()
        return code

    whole, statements = put_back(0), int(count.read_text() or 0)
    wrong: dict[int, str] = {0: f"ended with {whole}"} if whole else {}
    points = sorted({*range(1, statements + 1, share), *range(max(1, statements - 2), statements + 1)})
    for point in points:
        code = put_back(point)
        after = life(state)[1]
        if code >= 0 or after != before:
            wrong[point] = f"ended with {code}; the database is {'the same' if after == before else 'another'}"
    return {"statements": statements, "points": len(points), "wrong": wrong}


if __name__ == "__main__":
    with unfinished.allowed():
        print(json.dumps(main(int(sys.argv[1]))))
