"""What cannot be run on a developer's machine is read: containers, units and their settings fit the product."""

from __future__ import annotations

import configparser
import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from annotation.operations import buffering_worker

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = ["web", "worker", "beat"]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
WHEELS = "build/dist"  # of `make wheel`
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
            assert source == WHEELS or (ROOT / source).exists(), source
    last = dockerfile().rpartition("\nFROM ")[2]
    assert re.search(r"^USER hopscribe$", last, re.M)
    assert "--require-hashes -r requirements.lock" in dockerfile()


def test_the_image_runs_the_wheel_that_make_builds_compiled_since_it_cannot_write() -> None:
    assert f"hatchling build -d {WHEELS}" in (ROOT / "Makefile").read_text()
    installed = dockerfile().index("--no-deps dist/hopscribe-*.whl")
    compiled = dockerfile().index("compileall -q /venv/lib")
    assert installed < compiled
    started = [COMPOSE["services"][name]["command"] for name in OURS]
    words = " ".join(word for command in started for word in command) + re.search(r"CMD \[(.+)\]\n\Z", dockerfile())[1]
    commands = re.findall(r"hopscribe\W+(\w+)", words)
    assert commands == ["migrate", "serve", "celery", "celery", "serve"]
    assert set(commands) <= set(get_commands())


def test_the_engine_is_sent_what_the_image_copies_and_no_secret() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert rules[0] == "*"
    let_through = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {s for line in re.findall(r"^COPY (?!--)(.+)$", dockerfile(), re.M) for s in line.split()[:-1]}
    assert let_through == copied
    assert not let_through & {"var", ".git", ".venv", "deploy", "deploy/.env"}


def test_the_image_can_back_up_the_database_of_the_compose_file() -> None:
    """pg_dump refuses a server newer than itself."""
    server = re.fullmatch(r"postgres:(\d+)-(\w+)", COMPOSE["services"]["postgres"]["image"])
    for program in ("pg_dump", "pg_restore"):
        assert f"/usr/lib/postgresql/{server[1]}/bin/{program}" in dockerfile()
    assert f"postgresql-client-{server[1]}" in dockerfile()
    assert set(re.findall(r"^FROM python:[\d.]+-slim-(\w+)", dockerfile(), re.M)) == {server[2]}


def test_jobs_begin_once_the_web_server_has_migrated() -> None:
    for name in ("worker", "beat"):
        waits = COMPOSE["services"][name]["depends_on"]
        assert {other: how["condition"] for other, how in waits.items()} == {
            "web": "service_healthy",
            "postgres": "service_healthy",
            "redis": "service_healthy",
        }


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


def test_the_proxy_takes_what_a_page_takes() -> None:
    megabytes = re.search(r"max_size (\d+)MB", (DEPLOY / "Caddyfile").read_text())
    assert int(megabytes[1]) * 10**6 > settings.UPLOAD_LIMIT * 1.01


def test_who_waits_for_whom(gunicorn: dict[str, Any]) -> None:
    """The proxy lets idle connections go before the web server does; nobody is killed over requests in work."""
    kept = re.search(r"keepalive (\d+)s", (DEPLOY / "Caddyfile").read_text())
    assert int(kept[1]) < buffering_worker.IDLE
    for name in OURS:
        assert int(COMPOSE["services"][name]["stop_grace_period"].removesuffix("s")) > gunicorn["graceful_timeout"]
    assert int(unit("hopscribe-web")["TimeoutStopSec"]) > gunicorn["graceful_timeout"]


def test_the_proxy_waits_as_long_for_a_body_as_the_web_server() -> None:
    hours = re.search(r"read_body (\d+)h", (DEPLOY / "Caddyfile").read_text())
    assert hours
    assert int(hours[1]) * 3600 == buffering_worker.LONGEST


@pytest.fixture
def gunicorn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The web server's configuration, read through a link to the checkout."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    (tmp_path / "hopscribe").symlink_to(ROOT)
    return runpy.run_path(str(tmp_path / "hopscribe/deploy/gunicorn.conf.py"))


def test_a_reload_goes_to_the_release_that_the_link_names_by_then(gunicorn: dict[str, Any], tmp_path: Path) -> None:
    assert gunicorn["chdir"] == str(tmp_path / "hopscribe")
    start = unit("hopscribe-web")["ExecStart"]
    assert start == "/opt/hopscribe/.venv/bin/python -m gunicorn -c /opt/hopscribe/deploy/gunicorn.conf.py"


@pytest.fixture
def unready() -> Iterator[int]:
    """The port of a web server whose /readyz names the broker."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ready = self.path == "/readyz" and self.headers["Host"] == "well.example"
            self.send_response(200 if ready else 503)
            self.end_headers()
            self.wfile.write(b'{"broker": "does not answer"}')

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        serving.start()
        yield server.server_port
        server.shutdown()
        serving.join()


@pytest.mark.parametrize(("host", "code"), [("well.example,web", 0), ("ill.example,web", 1)])
def test_the_health_check_says_what_is_not_well(unready: int, host: str, code: int) -> None:
    environment = {"ALLOWED_HOSTS": host, "BIND": f"0.0.0.0:{unready}"}
    done = subprocess.run(
        [sys.executable, DEPLOY / "healthy.py"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "does not answer" in (done.stderr if code else done.stdout)


@pytest.mark.parametrize(
    "newer", [r"\)[*+?}]\+(?!,)", r"extractall\(.*filter="], ids=["possessive groups", "extractall's filter"]
)
def test_nothing_asks_for_a_newer_python_than_debian_12_has(newer: str) -> None:
    """3.11.2: groups are possessive as they should be since 3.11.5, archives have filters since 3.11.4."""
    sources = [path for folder in ("annotation", "tasks") for path in (ROOT / folder).rglob("*.py")]
    assert len(sources) > 100
    assert [path.name for path in sources if re.search(newer, path.read_text())] == []


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


def unit(name: str) -> configparser.SectionProxy:
    """What a unit says of its service."""
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(DEPLOY / f"systemd/{name}.service")
    return read["Service"]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_what_the_product_has(path: Path) -> None:
    service = unit(path.stem)
    assert service["User"] == "hopscribe"
    assert service["ProtectSystem"] == "strict"
    assert "/opt/hopscribe/.venv/bin/python " in service["ExecStart"]
    for command in re.findall(r"manage\.py (\w+)", " ".join(service.values())):
        assert command in get_commands()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here to verify units")
def test_systemd_finds_nothing_to_say() -> None:
    command = ["systemd-analyze", "verify", "--man=no", *map(str, UNITS)]
    result = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    wrong = [line for line in result.splitlines() if "not executable" not in line and "hopscribe" in line]
    assert not wrong
    guarded = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", *map(str, UNITS)]
    assert subprocess.run(guarded, capture_output=True, check=False).returncode == 0


SPACE = DEPLOY / "space"
SPACE_HOST = "lab-hopscribe.hf.space"


def started_in_a_space(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """What start.sh gives `hopscribe serve`, which only prints its arguments and environment here."""
    program = folder / "bin/hopscribe"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\nenv\n')
    program.chmod(0o755)
    plain = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder)}
    return subprocess.run(["sh", SPACE / "start.sh"], env=plain | more, capture_output=True, text=True, check=False)


def test_a_space_is_served_under_its_own_address_and_the_loss_of_its_storage_is_told(tmp_path: Path) -> None:
    ended = started_in_a_space(tmp_path, SPACE_HOST=SPACE_HOST, SECRET_KEY="k" * 50)
    command, *lines = ended.stdout.splitlines()
    assert command == "serve"
    assert {
        f"ALLOWED_HOSTS={SPACE_HOST},127.0.0.1",
        f"PUBLIC_URL=https://{SPACE_HOST}",
        f"HOPSCRIBE_VAR={tmp_path}/hopscribe",
        "HOPSCRIBE_EPHEMERAL=1",
    } <= set(lines)
    given = set(re.findall(r"\b([A-Z_]+)=", (SPACE / "start.sh").read_text()))
    assert given <= read_by_the_product()
    front = yaml.safe_load((SPACE / "README.md").read_text().split("---\n")[1])
    assert front["sdk"] == "docker"
    assert f"BIND=0.0.0.0:{front['app_port']}" in lines


@pytest.mark.skipif(not Path("/dev/shm").is_mount(), reason="nothing writable is mounted here to stand for storage")
def test_a_space_keeps_its_data_where_storage_is_mounted(tmp_path: Path) -> None:
    own = {"ALLOWED_HOSTS": "qa.lab.example", "PUBLIC_URL": "https://qa.lab.example", "HOPSCRIBE_VAR": "/dev/shm"}
    lines = started_in_a_space(tmp_path, SPACE_HOST=SPACE_HOST, SECRET_KEY="k" * 50, **own).stdout.splitlines()
    assert {f"{name}={value}" for name, value in own.items()} <= set(lines)
    assert "HOPSCRIBE_EPHEMERAL=1" not in lines


@pytest.mark.parametrize("missing", ["SPACE_HOST", "SECRET_KEY"])
def test_a_space_says_what_it_misses(tmp_path: Path, missing: str) -> None:
    given = {"SPACE_HOST": SPACE_HOST, "SECRET_KEY": "k" * 50} | {missing: ""}
    ended = started_in_a_space(tmp_path, **given)
    assert ended.returncode != 0
    assert f"{missing}: is not set" in ended.stderr
    assert not ended.stdout


def test_the_image_of_a_space_runs_its_script_as_the_user_of_spaces() -> None:
    text = (SPACE / "Dockerfile").read_text()
    assert "--uid 1000 hopscribe" in text
    assert re.search(r"^USER hopscribe\n(?:.*\n)*CMD \[\"sh\", \"/space/start\.sh\"\]\n\Z", text, re.M)
    assert "COPY . /space" in text
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.search(r"\[([\w,]+)\]\"", text)[1].split(",")) <= set(extras)
