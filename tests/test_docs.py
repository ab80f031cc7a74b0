"""The documents name everything that has a name, exactly, and name nothing that is not there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from annotation import registry
from annotation.formats import FORMATS
from annotation.tasktype import CAPABILITIES, TaskType
from tests import documents, task_pages
from tests.bench.__main__ import COMPARISONS

ROOT = Path(__file__).resolve().parent.parent
DOCS = documents.all_text(ROOT)
ALL_APPS = pytest.mark.app("demo", "dry_run", "marketplaces", "mturk_api", "studies", "webhooks")
GUIDES = ["workers", "requesters", "administrators", "developers", "architecture"]


@pytest.mark.parametrize("name", GUIDES)
def test_each_reader_has_a_guide(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.md").exists()


@pytest.mark.parametrize("name", documents.commands(ROOT))
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"manage\.py {name}\b", DOCS), f"no document says `manage.py {name}`"


@ALL_APPS
@pytest.mark.parametrize("name", documents.commands(ROOT))
def test_every_option_of_a_command_is_documented(name: str) -> None:
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    common = {"--help", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color",
              "--force-color", "--skip-checks"}  # fmt: skip
    django = type(load_command_class(get_commands()[name], name)).__base__
    if django.__module__.startswith(
        ("django.contrib.", "django.core.management.commands.")
    ):  # whose options are Django's to document
        common |= set(django().create_parser("manage.py", name)._option_string_actions)
    named = [[o for o in action.option_strings if o.startswith("--")] for action in parser._actions]
    options = {first for first, *_former in filter(None, named)} - common
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
    """In a guide, or on top of its own module."""
    result = DOCS + (inspect.getdoc(inspect.getmodule(type(FORMATS[name]))) or "")
    assert documents.said(f"--format {name}", result) or documents.said(f"`{name}`", result)


@pytest.mark.parametrize("kind", sorted(registry.task_types()))
def test_every_task_has_a_page_in_its_folder(kind: str) -> None:
    assert task_pages.title_of(registry.folder_of(kind) / "README.md")


def test_the_requesters_guide_lists_no_task_otherwise_than_its_page() -> None:
    """What a new folder adds is written by `make tasks`; no test waits for it."""
    text = (ROOT / "docs/requesters.md").read_text()
    listed = task_pages.listed(text, task_pages.TASKS)
    assert listed
    assert set(listed) <= set(task_pages.task_lines(ROOT)), "run `make tasks`"


def test_the_requesters_guide_has_the_settings_as_they_are() -> None:
    text = (ROOT / "docs/requesters.md").read_text()
    assert task_pages.listed(text, task_pages.SETTINGS) == task_pages.setting_lines(), "run `make tasks`"


def test_a_new_folder_is_listed_by_itself(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    guide = tmp_path / "docs/requesters.md"
    begin, end = task_pages.TASKS
    settings = "\n".join(task_pages.SETTINGS)
    guide.write_text(f"# For requesters\n\n{begin}\nold\n{end}\n{settings}\n\nMore.\n")
    for kind in ("mine", "answer"):
        page = tmp_path / f"tasks/{kind}/README.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"# `{kind}`: who is it?\n\nMore.\n")
    task_pages.write(tmp_path)
    assert task_pages.listed(guide.read_text(), task_pages.TASKS) == [
        "- [`answer`](../tasks/answer/README.md): who is it?",
        "- [`mine`](../tasks/mine/README.md): who is it?",
    ]
    assert guide.read_text().endswith("\n\nMore.\n")


def pieces(kind: type) -> list[str]:
    """Every method as `name(its, arguments)`, and every name that a folder may give."""
    methods = [(name, f) for name, f in vars(kind).items() if inspect.isfunction(f)]
    signatures = [f"{name}({', '.join(list(inspect.signature(f).parameters)[1:])})" for name, f in methods]
    return signatures + list(inspect.get_annotations(kind))


ROWS = {(kind.__name__, piece) for kind in (TaskType, *CAPABILITIES) for piece in pieces(kind)}


@pytest.mark.parametrize(("kind", "piece"), sorted(ROWS))
def test_every_piece_of_the_contract_is_documented(kind: str, piece: str) -> None:
    text = (ROOT / "tasks/README.md").read_text()
    where = f"`{kind}`" if kind != "TaskType" else "(?:required|preset)"
    assert re.search(rf"^\| `{re.escape(piece)}` \| {where} \|", text, re.M)


def test_the_contract_guide_names_no_piece_that_is_gone() -> None:
    text = (ROOT / "tasks/README.md").read_text()
    found = re.findall(r"^\| `([A-Za-z_]+(?:\([^)]*\))?)` \| (?:`(\w+)`|required|preset) \|", text, re.M)
    assert found
    assert {(kind or "TaskType", piece) for piece, kind in found} <= ROWS


def test_the_six_required_methods_are_those_that_a_task_must_write() -> None:
    text = (ROOT / "tasks/README.md").read_text()
    assert TaskType.__abstractmethods__ == set(re.findall(r"^\| `(\w+)\([^)]*\)` \| required \|", text, re.M))
    assert len(TaskType.__abstractmethods__) == 6


def test_links_lead_somewhere() -> None:
    assert not (broken := list(documents.broken_links(ROOT))), "\n".join(broken)


def test_files_in_the_documents_exist() -> None:
    assert not (missing := list(documents.missing_files(ROOT))), "\n".join(missing)


@ALL_APPS
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


def test_the_quick_start_is_three_commands() -> None:
    text = (ROOT / "README.md").read_text()
    found = re.search(r"^## Quick start\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    assert found, "README.md has no section `Quick start`"
    lines = [line for block in documents.FENCE.findall(found[1]) for line in block.splitlines() if line.strip()]
    assert [line.split("#")[0].strip() for line in lines] == ["uvx hopscribe demo", "make demo", "make test"]


def test_the_files_of_the_table_of_places_are_there() -> None:
    """Paths begin in `annotation/` or at the top; a name without a folder stands beside the path before it."""
    missing = []
    for row in re.findall(r"^\| [^|]+ \| ([^|]+\.py[^|]*) \|$", (ROOT / "docs/architecture.md").read_text(), re.M):
        beside: list[Path] = []
        for name in re.findall(r"`([\w*./-]+)`", row):
            if "/" not in name and not name.endswith(".py"):
                continue
            found = [path for folder in (*beside, ROOT / "annotation", ROOT) for path in folder.glob(name)]
            missing += [] if found else [name]
            beside = [path if path.is_dir() else path.parent for path in found] or beside
    assert missing == []


def test_the_readme_says_in_its_first_screen_that_own_files_can_be_used() -> None:
    begins = (ROOT / "README.md").read_text().partition("\n## ")[0].splitlines()[:12]
    [line] = [line for line in begins if line.startswith("**Can I use my own file?** Yes.")]
    assert all(kind in line for kind in ("CSV", "Excel", "JSON", "Parquet"))
