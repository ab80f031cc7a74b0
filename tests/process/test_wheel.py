"""What is installed without a checkout: one package with everything in it, which serves and stays as it is."""

from __future__ import annotations

import compileall
import json
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest
import yaml

from annotation.demo.simulated_worker import Page, SimulatedWorker, is_assignment
from annotation.formats import FORMATS
from annotation.operations.page_browser import Browser, FormPage
from annotation.pure.data.example import Example, Paragraph
from tests.hub import double
from tests.process import wheels
from tests.process.installation import ROOT
from tests.sharing import shared
from tests.waiting import until

PASSWORD = "a long enough phrase"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, static: Path) -> Path:
    """A wheel of this checkout, with the static files of the tests and the released schema."""

    def build(folder: Path) -> None:
        source = wheels.copy_sources(folder / "source")
        shutil.copytree(static, source / "build/static")
        schema = yaml.load((source / "docs/api-schema.yaml").read_text(), Loader=yaml.CSafeLoader)
        (source / "build/api-schema.json").write_text(json.dumps(schema))
        shutil.copy(source / "docs/api-schema.yaml", source / "build")
        wheels.wheel_of(source, folder / "dist")
        shutil.rmtree(source)

    return next((shared(tmp_path_factory, "wheel", build) / "dist").glob("*.whl"))


def test_a_wheel_has_everything_below_one_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names} == {"hopscribe", "hopscribe-0.1.0.dist-info"}
    kinds = ("*.html", "*.py", "*.jsonl", "*.json", "*.mo", "*.css", "*.js", "*.md", "*.svg", "*.txt")
    for folder in ("annotation", "tasks", "templates"):
        files = {file for kind in kinds for file in (ROOT / folder).rglob(kind) if "static" not in file.parts}
        needed = {f"hopscribe/{file.relative_to(ROOT).as_posix()}" for file in files}
        missing = {name for name in needed if not name.startswith("hopscribe/annotation/client/")} - names
        assert needed
        assert not missing
    assert {"hopscribe/build/static/staticfiles.json", "hopscribe/docs/glossary.md"} <= names


@pytest.mark.soak
def test_sources_without_static_files_are_no_wheel(tmp_path: Path) -> None:
    source = wheels.copy_sources(tmp_path / "source")
    with pytest.raises(AssertionError, match="run `make wheel` in a checkout"):
        wheels.wheel_of(source, tmp_path / "dist")


@pytest.mark.soak
def test_from_its_wheel_it_serves_a_new_home_and_writes_nothing_beside_itself(wheel: Path, tmp_path: Path) -> None:
    site, home = tmp_path / "site", tmp_path / "home"
    zipfile.ZipFile(wheel).extractall(site)
    compileall.compile_dir(site, quiet=1)  # as pip does
    before = {file: file.stat().st_mtime_ns for file in site.rglob("*")}
    alone = {"PYTHONPATH": str(site), "LOG_LEVEL": "INFO"}
    command = [sys.executable, "-m", "hopscribe"]
    with wheels.serving([*command, "serve", "--home", str(home)], cwd=tmp_path, more=alone) as (address, log):
        said = log.read_text()
        assert "Background jobs run in the web server, without a broker." in said
        link = re.search(rf"{address}/join/\S+/", said)
        assert link, said
        browser = Browser(address, read=FormPage)
        assert "You are invited as an owner" in browser.open(link[0]).html
        url, hidden = browser.open(link[0]).form(link[0].removeprefix(address))
        page = browser.post(url, hidden | {"username": "mara", "password": PASSWORD})
        assert page.path == "/projects/default/"
        style = re.search(r'href="(/static/css/base\.\w+\.css)"', page.html)
        assert wheels.answers(f"{address}{style[1]}")
        assert "multihop" in browser.open("/glossary/").html
        with urllib.request.urlopen(f"{address}/api/v1/schema/") as schema:
            assert json.load(schema)["openapi"]
        logged = [line for line in (home / "logs/hopscribe.log").read_text().splitlines() if " INFO " in line]
        assert logged
        assert set(logged) <= set(log.read_text().splitlines())
    done = wheels.run([*command, "upgrade", "--json", "--home", str(home)], cwd=tmp_path, more=alone)
    assert json.loads(done) == {"migrations": 0, "copy": ""}
    assert {file: file.stat().st_mtime_ns for file in site.rglob("*")} == before
    with wheels.serving([*command, "serve", f"--home={home}"], cwd=tmp_path, more=alone) as (_address, log):
        assert "/join/" not in log.read_text()


def test_the_command_says_what_it_has_and_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    said = wheels.run([sys.executable, "-m", "hopscribe"], cwd=ROOT)
    assert all(f"\n  {name} " in said for name in ("demo", "serve", "doctor", "upgrade"))
    with pytest.raises(AssertionError, match="--home: name a folder"):
        wheels.run([sys.executable, "-m", "hopscribe", "check", "--home"], cwd=ROOT)
    with pytest.raises(AssertionError, match="Unknown command"):
        wheels.run([sys.executable, "-m", "hopscribe", "no_such", "--home", str(tmp_path)], cwd=ROOT)


USE = """
import sys
from hopscribe_client import Hopscribe, NotReached
try:
    Hopscribe("http://127.0.0.1:9", token="hop_none", project="none", tries=1).facts
except NotReached:
    print(sorted({name.split(".")[0] for name in sys.modules} & {"annotation", "django", "pandas"}))
"""


def test_the_client_is_a_wheel_of_its_own_that_needs_nothing_of_the_server(tmp_path: Path) -> None:
    source = wheels.copy_sources(tmp_path / "source") / "client"
    wheels.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], cwd=source)
    with zipfile.ZipFile(next(tmp_path.glob("hopscribe_client-*.whl"))) as built:
        needed = built.read("hopscribe_client-0.1.0.dist-info/METADATA").decode().splitlines()
        assert [line for line in needed if line.startswith("Requires-Dist") and "extra" not in line] == [
            "Requires-Dist: httpx<0.29,>=0.28"
        ]
        built.extractall(tmp_path / "site")
    said = wheels.run([sys.executable, "-c", USE], cwd=tmp_path, more={"PYTHONPATH": str(tmp_path / "site")})
    assert said.strip() == "[]"


def test_the_emulator_of_prolific_is_a_wheel_of_its_own_that_needs_nothing(tmp_path: Path) -> None:
    source = wheels.copy_sources(tmp_path / "source") / "prolific-emulator"
    wheels.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], cwd=source)
    with zipfile.ZipFile(next(tmp_path.glob("prolific_emulator-*.whl"))) as built:
        facts = "prolific_emulator-0.1.0.dist-info"
        assert "prolific-emulator = prolific_emulator.__main__:main" in built.read(f"{facts}/entry_points.txt").decode()
        assert "Requires-Dist" not in built.read(f"{facts}/METADATA").decode()
        built.extractall(tmp_path / "site")
    command = [sys.executable, "-S", "-m", "prolific_emulator", "--bind", "127.0.0.1:0", "--json"]  # -S: no packages
    alone = wheels.elsewhere({"PYTHONPATH": str(tmp_path / "site")})
    with subprocess.Popen(command, cwd=tmp_path, env=alone, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            said = json.loads("".join(takewhile("}\n".__ne__, server.stdout)) + "}")
            with urllib.request.urlopen(said["endpoint"]) as page:
                assert b"Emulated Prolific" in page.read()
        finally:
            server.terminate()


def test_in_a_checkout_the_client_has_its_former_name_too() -> None:
    former = "from annotation.client import Hopscribe as former; from hopscribe_client import Hopscribe as client"
    wheels.run([sys.executable, "-c", f"{former}; assert former is client"], cwd=ROOT)


MIGRATION = """
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("annotation", "{after}")]
    operations = [migrations.RunSQL({sql!r})]
"""
LIMIT_PACKAGES, LIMIT_MB, LIMIT_OF_CLIENT = 55, 250, 10


def later(source: Path, version: str, sql: str) -> Path:
    """The wheel of a later release, with one more migration."""
    settings = source / "pyproject.toml"
    settings.write_text(re.sub(r'^version = ".*"$', f'version = "{version}"', settings.read_text(), flags=re.M))
    folder = source / "annotation/migrations"
    last = max(file.stem for file in folder.glob("[0-9]*.py"))
    number = int(last[:4]) + 1
    (folder / f"{number:04}_later.py").write_text(MIGRATION.format(after=last, sql=sql))
    return wheels.wheel_of(source, source / f"dist-{version}")


def begin(worker: SimulatedWorker, batch: int) -> Page:
    """Read the instructions and pass over the practice; returns the first assignment."""
    page = worker._browser.open(f"/work/batches/{batch}/instructions/")  # as `begin` there, without a database
    page = worker.post(*page.form("/instructions/"))
    while match := re.search(r"/practice/([0-9]+)/", page.url):
        url, hidden = page.form(f"/practice/{match[1]}/")
        page = worker.post(f"{url}done/", hidden)
    return page


class Environment:
    """An empty environment with pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        wheels.run([sys.executable, "-m", "venv", "venv"], cwd=folder)
        self.bin = folder / "venv/bin"
        self.site = next((folder / "venv/lib").glob("python*/site-packages"))

    def python(self, *arguments: str, more: Mapping[str, str] = {}) -> str:
        return wheels.run([str(self.bin / "python"), *arguments], cwd=self.folder, more=more)

    def pip(self, *arguments: str) -> str:
        return self.python("-m", "pip", *arguments)

    def packages(self) -> set[str]:
        return {row["name"] for row in json.loads(self.pip("list", "--format=json"))} - {"pip", "setuptools"}

    def size(self) -> int:
        """Bytes of everything that was installed, with the compiled files."""
        pips = re.compile(r"pip|setuptools|pkg_resources|_distutils")
        own = [path for path in self.site.iterdir() if not pips.match(path.name)]
        return sum(file.stat().st_size for path in own for file in (path, *path.rglob("*")) if file.is_file())


class Machine(Environment):
    """An environment with a home for `hopscribe`, in which nothing of the checkout is on the path."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.home = {"HOPSCRIBE_VAR": str(folder / "home")}

    def hopscribe(self, *arguments: str, more: Mapping[str, str] = {}) -> str:
        return wheels.run([str(self.bin / "hopscribe"), *arguments], cwd=self.folder, more=self.home | more)

    def serving(self) -> AbstractContextManager[tuple[str, Path]]:
        return wheels.serving([str(self.bin / "hopscribe"), "serve"], cwd=self.folder, more=self.home)

    def study(self) -> None:
        """Import questions from a CSV, launch them, and let two workers respond to all over HTTP."""
        texts = [Paragraph(f"Tower {k}", f"Tower {k} was built by mason number {k}.") for k in range(5)]
        examples = [Example(p.title, f"Who built {p.title}?", (p,), (f"mason number {p.title[6:]}",)) for p in texts]
        with (self.folder / "own.csv").open("wb") as out:
            FORMATS["csv"].write(examples, out)
        self.hopscribe("import_dataset", "own.csv", "--format", "csv", "--name", "own")
        terms = ("--assignments", "2", "--contact", "ada@example.org", "--ethics", "board 7")
        self.hopscribe("create_batch", "study", "--task", "answer", "--dataset", "own", *terms)
        with self.serving() as (address, _log):
            for name in ("ada", "ben"):
                self.hopscribe("create_account", name, "--role", "annotator", "--password", PASSWORD)
                worker = SimulatedWorker(address, name, PASSWORD, 1.0, Random(name))
                worker.sign_in()
                worker.consent("default")
                page = begin(worker, 1)
                while is_assignment(page):
                    page = worker.answer(page, {example.question: example for example in examples})

    def responses(self, more: Mapping[str, str] = {}) -> list[str]:
        self.hopscribe("export_responses", "study", "--format", "jsonl", "--out", "responses.jsonl", more=more)
        return (self.folder / "responses.jsonl").read_text().splitlines()


BY_CLIENT = """
from hopscribe_client import Hopscribe
with Hopscribe() as hopscribe:
    dataset = hopscribe.datasets.add("../own.csv", name="again", format="csv")
    hopscribe.batches["study"].export("responses.jsonl")
    print(dataset.size)
"""


def use_client(machine: Machine, wheel: Path) -> None:
    """Let a notebook's machine, with nothing but the client, work with the server of another."""
    notebook = Environment(machine.folder / "notebook")
    notebook.pip("install", str(wheel))
    assert len(notebook.packages()) <= LIMIT_OF_CLIENT
    token = machine.hopscribe("create_api_token", "ada@example.org", "--create", "--project", "default").strip()
    with machine.serving() as (address, _log):
        more = {"HOPSCRIBE_URL": address, "HOPSCRIBE_TOKEN": token, "HOPSCRIBE_PROJECT": "default"}
        assert notebook.python("-c", BY_CLIENT, more=more) == "5\n"
    by_client = (notebook.folder / "responses.jsonl").read_text().splitlines()
    assert sorted(by_client) == sorted(machine.responses())


def push(machine: Machine, wheel: Path) -> None:
    """Push the dataset to a Hub, and import it from there."""
    to = ("export_dataset", "own", "--format", "jsonl", "--push", "hf:lab/own")
    with pytest.raises(AssertionError, match=r'pip install "hopscribe\[hub\]"'):
        machine.hopscribe(*to)
    machine.pip("install", f"{wheel}[hub]")
    with double.serving() as hub:
        own = {"HF_HOME": str(machine.folder / "hub"), "HF_HUB_DISABLE_XET": "1"}
        more = own | {"HF_ENDPOINT": hub.address, "HF_TOKEN": double.TOKEN}
        machine.hopscribe(*to, more=more)
        machine.hopscribe("import_dataset", "hf:lab/own", "--name", "back", more=more)
        pushed = hub.repositories["lab/own"]
    assert pushed.private
    machine.hopscribe("export_dataset", "back", "--format", "jsonl", "--out", "back.jsonl")
    assert (machine.folder / "back.jsonl").read_bytes() == pushed.files["own.jsonl"]


@pytest.mark.soak
def test_from_an_empty_environment_to_scores_and_through_upgrades(tmp_path: Path) -> None:
    """Nothing of the checkout is on the path: pip installs the wheel and what it needs."""
    source, machine = wheels.copy_sources(tmp_path / "source"), Machine(tmp_path)
    wheel = wheels.make_wheel(source)
    machine.pip("install", str(wheel))
    # redis needs async-timeout before Python 3.11.3 only
    assert len(machine.packages() - {"async-timeout"}) <= LIMIT_PACKAGES
    assert machine.size() <= LIMIT_MB * 10**6
    demo = {"HOPSCRIBE_VAR": str(tmp_path / "demo")}
    with wheels.serving([str(machine.bin / "hopscribe"), "demo"], cwd=tmp_path, more=demo) as (address, log):
        until(lambda: "Sign in" in log.read_text())
        assert wheels.answers(f"{address}/accounts/sign-in/")

    machine.hopscribe("upgrade")
    machine.study()
    machine.hopscribe("score_batch", "study")
    before = machine.responses()
    assert len(before) == 10
    with pytest.raises(AssertionError, match=r'pip install "hopscribe\[parquet\]"'):
        machine.hopscribe("export_responses", "study", "--format", "parquet", "--out", "responses.parquet")
    machine.hopscribe("back_up", "--out", "all.tar.gz")
    restored = {"HOPSCRIBE_VAR": str(tmp_path / "restored")}
    machine.hopscribe("restore", "all.tar.gz", more=restored)
    assert machine.responses(restored) == before

    use_client(machine, next(wheel.parent.glob("hopscribe_client-*.whl")))
    push(machine, wheel)

    newer = later(source, "0.2.0", "UPDATE annotation_project SET title = 'later'")
    machine.pip("install", "--no-deps", str(newer))
    assert json.loads(machine.hopscribe("upgrade", "--json"))["migrations"] == 1
    assert machine.responses() == before
    machine.pip("install", "--no-deps", str(later(source, "0.3.0", "DROP TABLE no_such_table")))
    with pytest.raises(AssertionError, match=r'as it was before it(?s:.*)pip install "hopscribe==0\.2\.0"'):
        machine.hopscribe("upgrade")
    machine.pip("install", "--no-deps", str(newer))
    assert json.loads(machine.hopscribe("upgrade", "--json"))["migrations"] == 0
    assert machine.responses() == before

    machine.pip("uninstall", "--yes", "hopscribe")
    assert not [path for path in machine.site.iterdir() if path.name in ("annotation", "hopscribe", "tasks")]
    assert (tmp_path / "home/hopscribe.sqlite3").exists()
