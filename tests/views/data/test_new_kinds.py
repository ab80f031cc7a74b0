"""A format or a derivation is one file: nothing else is touched, and commands and pages offer it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import load_command_class

from annotation import derivations, formats
from annotation.derivations import DERIVATIONS
from annotation.flow.data.dataset_import import import_dataset
from annotation.formats import FORMATS
from annotation.formats.guess import guess
from annotation.pure.discovery import offered

LINES = '''
"""Lines of `question<tab>answer<tab>paragraph`."""

from annotation.formats.base import Parsed
from annotation.pure.data.example import Example, Paragraph


class Lines:
    name, title, suffix, endings = "lines", "Tabbed lines", ".tab", (".tab",)

    def read(self, path):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            question, answer, text = line.split("\\t")
            yield Parsed(number, Example(str(number), question, (Paragraph("", text),), (answer,)))

    def write(self, examples, out):
        rows = [f"{e.question}\\t{e.answer}\\t{e.paragraphs[0].text}\\n".encode() for e in examples]
        out.writelines(rows)
        return len(rows)


FORMAT = Lines()
'''
SHOUTED = '''
"""The questions in capitals."""

from dataclasses import dataclass, replace

from annotation.derivations.base import OTHERS


@dataclass(frozen=True)
class Options:
    pass


class Shouted:
    how, title, does, suffix = "shouted", "Shouted questions", "Writes each question in capitals.", "shouted"
    group, follows, outputs, Options = OTHERS, ("",), ("",), Options

    def check(self, options):
        pass

    def source_problem(self, features):
        return ""

    def derive(self, source, options, *, seed, tally):
        for example in source.examples():
            yield "", replace(example, question=example.question.upper())


DERIVATION = Shouted()
'''


def add(package: Any, name: str, source: str, known: dict[str, Any], key: str, patch: Any, folder: Path) -> Any:
    """Put the module into a folder of the package, and find it as a start of the program would."""
    (folder / f"{name}.py").write_text(source)
    patch.setattr(package, "__path__", [*package.__path__, str(folder)])
    constant = {formats: "FORMAT", derivations: "DERIVATION"}[package]
    found = {getattr(each, key): each for each in offered(package.__name__, constant)}
    patch.delitem(sys.modules, f"{package.__name__}.{name}")
    assert set(found) - set(known) == {getattr(found[list(found)[-1]], key)}
    assert [name for name in found if name in known] == list(known)
    for each in found:
        patch.setitem(known, each, found[each])
    return found


def choices(command: str, option: str) -> list[str]:
    parser = load_command_class("annotation", command).create_parser("manage.py", command)
    return next(list(action.choices or ()) for action in parser._actions if option in action.option_strings)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    add(formats, "lines", LINES, FORMATS, "name", monkeypatch, tmp_path)
    file = tmp_path / "wells.tab"
    file.write_text("Which tower stands beside the well?\tTower 0\tTower 0 stands beside Well 0.\n")
    return file


def test_a_format_in_one_file_is_offered_recognised_and_read(
    project: Any, alice: Any, client: Any, lines: Path
) -> None:
    assert "lines" in choices("import_dataset", "--format")
    assert "lines" in choices("export_dataset", "--format")
    assert guess(lines, file_name="wells.tab.gz") == "lines"
    import_dataset(project, lines, format="lines", name="tabbed")
    client.force_login(alice)
    page = client.get(f"/projects/{project.slug}/datasets/tabbed/").content.decode()
    assert "Tabbed lines" in page
    out = client.get(f"/projects/{project.slug}/datasets/tabbed/export/lines/")
    assert b"".join(out.streaming_content) == lines.read_bytes()


def test_a_derivation_in_one_file_is_offered_by_command_and_page(
    project: Any, alice: Any, client: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add(derivations, "shouted", SHOUTED, DERIVATIONS, "how", monkeypatch, tmp_path)
    assert "shouted" in choices("derive_dataset", "--how")
    client.force_login(alice)
    address = f"/projects/{project.slug}/datasets/{dataset.slug}/derive/"
    page = client.get(address).content.decode()
    assert "Writes each question in capitals." in page
    assert client.get(f"{address}?how=shouted").status_code == 200
