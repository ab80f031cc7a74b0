"""What cannot be run on a developer's machine is read: containers, units and their settings fit the product."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = ["web", "worker", "beat"]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
OF_OTHERS = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}


def read_by_the_product() -> set[str]:
    """The environment variables that settings and gunicorn's configuration read."""
    texts = [(ROOT / name).read_text() for name in ("annotation/settings.py", "deploy/gunicorn.conf.py")]
    return set(re.findall(r'environ(?:\.get)?[(\[]"([A-Z_]+)"', "\n".join(texts)))


def test_every_variable_that_a_container_gets_is_read() -> None:
    image = re.findall(r"\b([A-Z_]+)=", re.search(r"ENV (.*?)\nUSER", dockerfile(), re.S)[1])
    given = {name for service in OURS for name in COMPOSE["services"][service]["environment"]}
    assert {*image, *given} - OF_OTHERS <= read_by_the_product()


def test_every_variable_of_the_example_is_used() -> None:
    named = set(re.findall(r"^#?([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.M))
    in_compose = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
    assert in_compose <= named
    assert named <= in_compose | read_by_the_product()


def dockerfile() -> str:
    return (DEPLOY / "Dockerfile").read_text()


def test_the_image_copies_what_is_there_and_runs_without_root() -> None:
    for line in re.findall(r"^COPY (?!--)(.+)$", dockerfile(), re.M):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    last = dockerfile().rpartition("\nFROM ")[2]
    assert re.search(r"^USER hopscribe$", last, re.M)
    assert "--require-hashes -r requirements.lock" in dockerfile()


@pytest.mark.parametrize("name", OURS)
def test_our_containers_cannot_write_nor_gain_rights(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "ports" not in service


def test_only_the_proxy_is_reached_from_outside_and_it_finds_the_web_server() -> None:
    assert [name for name, service in COMPOSE["services"].items() if "ports" in service] == ["proxy"]
    assert "reverse_proxy web:8000" in (DEPLOY / "Caddyfile").read_text()
    assert COMPOSE["services"]["web"]["environment"]["ALLOWED_HOSTS"].startswith("${HOST")
    assert set(COMPOSE["volumes"]) == {"uploads", "database", "certificates"}


def test_monitors_ask_the_web_server_and_the_world_cannot() -> None:
    refused = re.search(r"@inside path (.+)\n\trespond @inside 404\n", (DEPLOY / "Caddyfile").read_text())
    assert {"/metrics", "/readyz"} <= set(refused[1].split())
    assert "/readyz" in (DEPLOY / "healthy.py").read_text()
    assert "deploy/healthy.py" in dockerfile()
    assert COMPOSE["services"]["web"]["environment"]["LOG_FORMAT"] == "json"


def test_the_web_server_imports_nothing_of_ours_before_its_processes_do() -> None:
    """A reload would go on with what it imported, and an upgrade would be none."""
    text = (DEPLOY / "gunicorn.conf.py").read_text()
    before = text[: text.index("def post_worker_init")] + text[text.index("def child_exit") :]
    assert not re.search(r"^\s*(from|import) (annotation|django|tasks)\b", before, re.M)


def test_no_secret_has_a_default() -> None:
    text = (DEPLOY / "compose.yaml").read_text() + (DEPLOY / "env.example").read_text()
    assert not re.search(r"(SECRET_KEY|PASSWORD)(:-|=)[^\s$}]", text.replace("PASSWORD@", ""))


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_what_the_product_has(path: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path)
    service = unit["Service"]
    assert service["User"] == "hopscribe"
    assert service["ProtectSystem"] == "strict"
    program = service["ExecStart"].split()[0]
    assert program.startswith("/opt/hopscribe/.venv/bin/")
    assert Path(ROOT / ".venv/bin" / Path(program).name).exists() or shutil.which(Path(program).name)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here to verify units")
def test_systemd_finds_nothing_to_say() -> None:
    command = ["systemd-analyze", "verify", "--man=no", *map(str, UNITS)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    wrong = [line for line in told.splitlines() if "not executable" not in line and "hopscribe" in line]
    assert not wrong
