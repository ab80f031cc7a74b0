"""What an installation is before anybody configured anything, and what it is for others."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Member, User, Worker
from tests.long_forms import first
from tests.security.routes import TABLE, parameters

ROOT = Path(__file__).resolve().parents[2]
OURS = {
    "ALLOWED_HOSTS",
    "CELERY_BROKER_URL",
    "DATABASE_URL",
    "HTTPS",
    "LOG_LEVEL",
    "SECRET_KEY",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
}
PUBLIC = {"ALLOWED_HOSTS": "hopscribe.example", "SECRET_KEY": "aK3-9z" * 10, "DATABASE_URL": "postgres://u@localhost/d"}
TOLD = """
import json, sys
from annotation import settings as s
names = ["DEBUG", "HTTPS", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE"]
for_host = {name: getattr(s, name).startswith("__Host-") for name in ["SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME"]}
print(json.dumps({name: getattr(s, name) for name in names} | for_host))
"""
ANYTHING = {
    "pk": 1, "position": 0, "item": 1, "number": 1, "seed": 0, "slug": "default", "batch": "b", "name": "search",
    "format": "jsonl", "document": "datasheet", "move": "pause", "public_id": "x", "token": "x", "uidb64": "MQ",
    "k": "x", "act": "sync", "worker": 1,
}  # fmt: skip


def start(var: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {k: v for k, v in os.environ.items() if k not in OURS}
    wanted = plain | {"HOPSCRIBE_VAR": str(var), "DJANGO_SETTINGS_MODULE": "annotation.settings"} | environment
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=wanted, capture_output=True, text=True, check=False)


def test_for_others_everything_is_https(tmp_path: Path) -> None:
    result = json.loads(start(tmp_path, "-c", TOLD, **PUBLIC).stdout)
    assert result.pop("SECURE_HSTS_SECONDS") >= 365 * 24 * 3600
    assert result.pop("DEBUG") is False
    assert all(result.values()), result


def test_on_this_machine_alone_nothing_asks_for_https(tmp_path: Path) -> None:
    result = json.loads(start(tmp_path, "-c", TOLD).stdout)
    assert not any(result.values()), result


@pytest.mark.soak
def test_an_installation_as_documented_has_nothing_to_warn_of(tmp_path: Path) -> None:
    checked = start(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PUBLIC)
    assert checked.returncode == 0, checked.stderr
    assert "no issues" in checked.stdout


@pytest.mark.soak
@pytest.mark.parametrize("missing", first(1, [{"HTTPS": "0"}, {"SECRET_KEY": "short"}]))
def test_a_gap_is_warned_of(tmp_path: Path, missing: dict[str, str]) -> None:
    checked = start(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PUBLIC | missing)
    assert checked.returncode == 1
    assert "hopscribe." in checked.stderr


def test_processes_that_start_at_once_share_one_key(tmp_path: Path) -> None:
    key = "from annotation.settings import SECRET_KEY; print(SECRET_KEY)"
    plain = {k: v for k, v in os.environ.items() if k not in OURS} | {"HOPSCRIBE_VAR": str(tmp_path)}
    several = [
        subprocess.Popen([sys.executable, "-c", key], cwd=ROOT, env=plain, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    result = {process.communicate()[0].strip() for process in several}
    assert len(result) == 1
    assert len(result.pop()) >= 50
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def addresses() -> dict[str, str]:
    return {name: reverse(name, kwargs={p: ANYTHING.get(p, 1) for p in parameters(name)}) for name in TABLE}


def test_a_fresh_installation_has_no_account(db: None) -> None:
    assert not User.objects.exists()
    assert not Member.objects.exists()
    assert not Worker.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_fresh_installation_is_closed(db: None, method: str) -> None:
    opened = {}
    for name, address in addresses().items():
        response: Any = getattr(Client(), method)(address)
        opened[name] = response.status_code
    assert {name for name, status in opened.items() if status == 200} <= {
        "sign-in",
        "glossary",
        "figures",
        "healthz",
        "readyz",
        "metrics",
    }
    assert opened["join"] == 410
    assert max(opened.values()) < 500


def test_nobody_signs_up_by_themselves(db: None) -> None:
    for path in ("accounts/sign-up/", "accounts/register/", "signup/", "register/", "user/signup/", "admin/", "api/"):
        assert Client().get(f"/{path}").status_code == 404
    wanted = {"username": "eve", "password": "a long enough phrase", "display_name": "Eve"}
    assert Client().post(reverse("join", args=["x" * 64]), wanted).status_code == 410
    assert not User.objects.exists()
