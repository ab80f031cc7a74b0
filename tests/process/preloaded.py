"""A process that has loaded Django, and runs commands in its children: `python -m tests.process.preloaded SOCKET`.

A guide calls `manage.py` dozens of times, a fault test some times, and to load everything takes longer than most
commands. `install` makes a `python` that has `manage.py …` and the modules of OURS run here, and all else, also under
another environment, by Python itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import sys
import traceback
from pathlib import Path

CALLER = """#!{python} -ISB
import json, os, signal, socket, sys
given, real, place = sys.argv[1:], {python!r}, {place!r}
ours = given[:1] == ["manage.py"] or (given[:1] == ["-m"] and given[1] in {ours!r} and "--on-and-on" not in given)
if not ours or given[1:2] in (["runserver"], ["mturk_endpoint"], ["demo"]):
    os.execv(real, [real, *given])
try:
    line = socket.socket(socket.AF_UNIX)
    line.connect(place)
except OSError:
    os.execv(real, [real, *given])
asked = json.dumps({{"argv": given, "cwd": os.getcwd(), "environ": dict(os.environ)}}).encode()
socket.send_fds(line, [len(asked).to_bytes(8, "big")], [0, 1, 2])
line.sendall(asked)
answers = line.makefile("r")
child = int(answers.readline() or 0)
if not child:
    os.execv(real, [real, *given])
for one in (signal.SIGINT, signal.SIGTERM):
    signal.signal(one, lambda number, _frame: os.kill(child, number))
sys.exit(int(answers.readline() or 1))
"""
OURS = ["tests.guides.given", "tests.process.claimers", "tests.process.world", "tests.process.panel_world"]
# What no setting is read from: a child takes it from whoever calls.
LATER = {"PWD", "OLDPWD", "SHLVL", "_", "PLACE", "LC_CTYPE", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_DISABLE_XET"}


def install(bin: Path, place: Path) -> Path:
    """Fill `bin` with what lies beside our Python, and a `python` that calls the process at `place`; its path."""
    bin.mkdir(parents=True, exist_ok=True)
    for program in Path(sys.executable).parent.iterdir():
        if not program.name.startswith("python"):
            (bin / program.name).symlink_to(program)
    caller = bin / "python"
    caller.write_text(CALLER.format(python=sys.executable, place=str(place), ours=OURS))
    caller.chmod(caller.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return caller


def same(environ: dict[str, str]) -> bool:
    """Whether a command under this environment has the settings that were loaded."""
    mine, its = ({k: v for k, v in of.items() if k not in LATER} for of in (dict(os.environ), environ))
    return mine == its


def answer(line: socket.socket) -> None:
    """Run what is asked for, here, in a child; ends the process."""
    size, fds, _flags, _address = socket.recv_fds(line, 8, 3)
    asked, wanted = b"", int.from_bytes(size, "big")
    while len(asked) < wanted:
        asked += line.recv(wanted - len(asked))
    call = json.loads(asked)
    if not same(call["environ"]):
        line.close()  # the caller turns to Python itself
        os._exit(0)
    line.sendall(f"{os.getpid()}\n".encode())
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(call["cwd"])
    os.environ |= call["environ"]
    line.sendall(f"{run(call['argv'])}\n".encode())
    os._exit(0)


def run(argv: list[str]) -> int:
    """As Python would; returns the exit status."""
    import runpy

    try:
        if argv[0] == "manage.py":
            sys.argv, sys.path[0] = argv, str(Path.cwd())
            runpy.run_path(str(Path("manage.py").resolve()), run_name="__main__")
        else:
            sys.argv = argv[1:]
            runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        code: object = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def main(place: str) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.db import connections

    __import__(settings.ROOT_URLCONF)
    connections.close_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children leave nothing behind
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen(16)
        while True:
            line, _address = server.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                server.close()
                answer(line)
            line.close()


if __name__ == "__main__":
    main(sys.argv[1])
