"""Wheels of this checkout for tests, and environments that have nothing but them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.process.installation import ROOT, free_port
from tests.waiting import until

PARTS = [
    "annotation", "client", "deploy", "docs/api-schema.yaml", "docs/glossary.md", "hopscribe", "prolific-emulator",
    "static", "tasks", "templates", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "manage.py", "pyproject.toml",
]  # fmt: skip
NOT_OURS = {"ALLOWED_HOSTS", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "HOPSCRIBE_VAR", "HTTPS", "SECRET_KEY"}


def copy_sources(folder: Path) -> Path:
    """What a wheel is built of, without what was built here before."""
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


def make_wheel(source: Path) -> Path:
    """What `make wheel` builds of copied sources."""
    run(["make", "--no-print-directory", "wheel", f"PY={sys.executable}", "-o", ".venv/dev.stamp"], cwd=source)
    assert list((source / "build/dist").glob("hopscribe-*.tar.gz"))
    return next((source / "build/dist").glob("hopscribe-*.whl"))


def wheel_of(source: Path, out: Path) -> Path:
    """Build the wheel of sources that have their static files and schema."""
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=source)
    return next(out.glob("hopscribe-*.whl"))


def run(command: list[str], *, cwd: Path, more: Mapping[str, str] = {}) -> str:
    """What a command prints, which must not fail."""
    done = subprocess.run(command, cwd=cwd, env=elsewhere(more), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr[-4000:]}")
    return done.stdout


def elsewhere(more: Mapping[str, str] = {}) -> dict[str, str]:
    """An environment in which nothing points to the checkout."""
    plain = {name: value for name, value in os.environ.items() if name not in {*NOT_OURS, "PYTHONPATH"}}
    return plain | {"PYTHONWARNINGS": "ignore"} | more


@contextmanager
def serving(command: list[str], *, cwd: Path, more: Mapping[str, str] = {}) -> Iterator[tuple[str, Path]]:
    """Run `hopscribe demo` or `serve` on a free port until the end; its address and the file of what it prints."""
    port, log = free_port(), cwd / "serving.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--port", str(port)], cwd=cwd, env=elsewhere(more), stdout=out, stderr=out
        )
    try:
        health = f"http://127.0.0.1:{port}/healthz"
        until(lambda: answers(health) or process.poll() is not None, within=90, said=log.read_text)
        assert process.poll() is None, f"{' '.join(command)} did not serve:\n{log.read_text()}"
        yield f"http://localhost:{port}", log
    finally:
        process.terminate()
        process.wait(60)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False
