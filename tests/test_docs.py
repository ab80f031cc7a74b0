"""The documents name everything that has a name, exactly, and name nothing that is not there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from annotation import registry
from annotation.formats import FORMATS
from annotation.tasktype import TaskType
from tests import documents
from tests.bench.__main__ import COMPARISONS

ROOT = Path(__file__).resolve().parent.parent
DOCS = documents.all_text(ROOT)
GUIDES = ["annotators", "requesters", "administrators", "developers", "architecture"]


@pytest.mark.parametrize("name", GUIDES)
def test_each_reader_has_a_guide(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.md").exists()


@pytest.mark.parametrize("name", documents.commands(ROOT))
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"manage\.py {name}\b", DOCS), f"no document says `manage.py {name}`"


@pytest.mark.parametrize("name", documents.commands(ROOT))
def test_every_option_of_a_command_is_documented(name: str) -> None:
    parser = load_command_class("annotation", name).create_parser("manage.py", name)
    common = {"--help", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color",
              "--force-color", "--skip-checks"}  # fmt: skip
    options = {o for action in parser._actions for o in action.option_strings if o.startswith("--")} - common
    missing = sorted(option for option in options if not documents.said(option, DOCS))
    assert not missing, f"no document says {', '.join(missing)}"


@pytest.mark.parametrize("name", documents.targets(ROOT))
def test_every_make_target_is_documented(name: str) -> None:
    assert documents.said(f"make {name}", DOCS), f"no document says `make {name}`"


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_comparison_is_documented(name: str) -> None:
    assert documents.said(f"make bench {name}", DOCS), f"no document says `make bench {name}`"


@pytest.mark.parametrize("name", documents.variables(ROOT))
def test_every_environment_variable_is_documented(name: str) -> None:
    assert documents.said(name, DOCS), f"no document says {name}"


def test_what_a_request_says_is_no_environment_variable() -> None:
    request = 'environ["REMOTE_ADDR"]\nenviron.get("HTTP_HOST")\nself.environ["PATH_INFO"]'
    ours = 'os.environ["SECRET_KEY"]\nos.environ.get(\n    "HTTPS")\nos.getenv("API_RATE")'
    assert documents.read_of_environment(f"import os\n{request}\n{ours}") == {"SECRET_KEY", "HTTPS", "API_RATE"}
    assert documents.read_of_environment('from os import environ, path\nenviron.get("HTTPS")') == {"HTTPS"}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_is_documented(name: str) -> None:
    assert documents.said(f"--format {name}", DOCS) or documents.said(f"`{name}`", DOCS)


@pytest.mark.parametrize("kind", sorted(registry.task_types()))
def test_every_task_is_documented_for_requesters(kind: str) -> None:
    assert documents.said(f"`{kind}`", (ROOT / "docs/requesters.md").read_text())


def contract() -> list[str]:
    """Every method of the contract as `name(its, arguments)`, and the names that a folder must give."""
    methods = [(name, f) for name, f in vars(TaskType).items() if inspect.isfunction(f)]
    signatures = [f"{name}({', '.join(list(inspect.signature(f).parameters)[1:])})" for name, f in methods]
    return signatures + list(inspect.get_annotations(TaskType))


@pytest.mark.parametrize("piece", contract())
def test_every_piece_of_the_contract_is_documented(piece: str) -> None:
    assert f"`{piece}`" in (ROOT / "tasks/README.md").read_text()


def test_the_contract_guide_names_no_piece_that_is_gone() -> None:
    text = (ROOT / "tasks/README.md").read_text()
    table = re.findall(r"^\| `([A-Za-z_]+(?:\([^)]*\))?)` \| task\.py \|", text, re.M)
    assert table
    assert set(table) <= {*contract(), "TASK"}


def test_links_lead_somewhere() -> None:
    assert not (broken := list(documents.broken_links(ROOT))), "\n".join(broken)


def test_commands_in_the_documents_exist() -> None:
    unknown = [
        f"{file}: manage.py {name}" for file, name, _ in documents.command_calls(ROOT) if name not in get_commands()
    ]
    assert not unknown, "\n".join(unknown)


def test_options_in_the_documents_exist() -> None:
    unknown = []
    for file, name, rest in documents.command_calls(ROOT):
        app = get_commands().get(name)
        if isinstance(app, str) and app == "annotation":
            parser = load_command_class(app, name).create_parser("manage.py", name)
            known = {o for action in parser._actions for o in action.option_strings}
            unknown += [f"{file}: manage.py {name} {o}" for o in re.findall(r"--[a-z][a-z-]*", rest) if o not in known]
    assert not unknown, "\n".join(unknown)


def test_make_targets_in_the_documents_exist() -> None:
    unknown = [
        f"{file}: make {name}" for file, name in documents.make_calls(ROOT) if name not in documents.targets(ROOT)
    ]
    assert not unknown, "\n".join(unknown)


def test_the_quick_start_is_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    found = re.search(r"^## Quick start\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    assert found, "README.md has no section `Quick start`"
    lines = [line for block in documents.FENCE.findall(found[1]) for line in block.splitlines() if line.strip()]
    assert [line.split("#")[0].strip() for line in lines] == ["make demo", "make test"]
