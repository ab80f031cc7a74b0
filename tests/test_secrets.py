"""No key lies in the repository, and no installation that others can reach starts without one."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from annotation.operations.secret_key import read_or_make_key

ROOT = Path(__file__).resolve().parent.parent
LOOKS_SECRET = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an access key": r"\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bxox[abp]-[A-Za-z0-9-]{20,}",
    "a key as a literal": r"(?i)(?:secret|api|private|signing)_?key\s*=\s*[\"'][^\"'{}<]{8,}[\"']",
    "Django's own insecure key": "django-" + "insecure",
    "a password in an address": r"\w+://[^/\s:@\"'{}<>]+:[^/\s:@\"'{}<>]{3,}@(?!localhost|127\.0\.0\.1|HOST|db\b)",
}
SKIP = {".png", ".ico", ".gz", ".br", ".parquet", ".woff2"}


def kept_files() -> list[Path]:
    """Files under version control, or all that lie here where there is no git."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name]
    folders = ["annotation", "tasks", "tests", "deploy", "docs", "templates", "static"]
    paths = [ROOT / n for n in names] or [p for folder in folders for p in (ROOT / folder).rglob("*")]
    return [p for p in paths if p.is_file() and p.suffix not in SKIP and p != Path(__file__)]


def test_the_repository_holds_no_secret() -> None:
    found = []
    for file in kept_files():
        text = file.read_text(encoding="utf-8", errors="replace")
        for what, pattern in LOOKS_SECRET.items():
            found += [f"{file.relative_to(ROOT)}: {what}: {m[0][:40]}" for m in re.finditer(pattern, text)]
    assert not found, "\n".join(found)


def start(var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Load the product's own settings in a process of their own."""
    command = [sys.executable, "-c", "from annotation import settings; print(len(settings.SECRET_KEY), settings.DEBUG)"]
    plain = {k: v for k, v in os.environ.items() if k not in {"SECRET_KEY", "ALLOWED_HOSTS", "HTTPS"}}
    wanted = {**plain, "HOPSCRIBE_VAR": str(var), **environment}
    return subprocess.run(command, cwd=ROOT, env=wanted, capture_output=True, text=True, check=False)


def test_an_installation_for_others_refuses_to_start_without_a_key(tmp_path: Path) -> None:
    refused = start(tmp_path, ALLOWED_HOSTS="hopscribe.example")
    assert refused.returncode != 0
    assert "SECRET_KEY is not set" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_installation_for_others_starts_with_a_key(tmp_path: Path) -> None:
    started = start(tmp_path, ALLOWED_HOSTS="hopscribe.example", SECRET_KEY="k" * 60)
    assert started.stdout.split() == ["60", "False"]


def test_a_local_installation_makes_its_key_once_and_keeps_it_to_itself(tmp_path: Path) -> None:
    assert start(tmp_path).stdout.split()[1] == "False"
    kept = tmp_path / "secret-key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    key = kept.read_text()
    assert start(tmp_path).returncode == 0
    assert kept.read_text() == key == read_or_make_key(kept)
    assert len(key) >= 50
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]
