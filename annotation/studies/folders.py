"""The studies: the folders in `studies/` at the top of the installation, found by discovery."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from annotation.flow.errors import Refused
from annotation.pure.studies import definition, published
from annotation.pure.studies.definition import BadStudy, Definition, StudyData
from annotation.studies import analyses


@dataclass(frozen=True, slots=True)
class Folder:
    """A study's folder, read and checked."""

    name: str
    path: Path
    definition: Definition
    published: list[published.Published]

    @property
    def readme(self) -> str:
        """What the paper says and leaves open, and what we chose, in Markdown."""
        return (self.path / "README.md").read_text(encoding="utf-8")

    def small_file(self, data: StudyData) -> Path:
        return self.path / data.small

    def wanted_file(self, data: StudyData) -> Path:
        """Where the researcher puts a file whose records may not be shipped."""
        return Path(settings.VAR) / "studies" / self.name / data.file


def root() -> Path:
    return Path(settings.ROOT) / "studies"


def names() -> list[str]:
    """The studies by name; a folder that begins with `_` is none. Raises Refused without the package for YAML."""
    try:
        definition.yaml_reader()
    except BadStudy as lacking:
        raise Refused(str(lacking)) from None
    return sorted(file.parent.name for file in root().glob("[!_]*/study.yaml"))


def read(name: str) -> Folder:
    """The study of that name. Raises Refused for an unknown one, and where its files are wrong."""
    if name not in names():
        raise Refused(f"There is no study {name}. There are: {', '.join(names()) or 'none'}.")
    path = root() / name
    try:
        found = definition.read((path / "study.yaml").read_text(encoding="utf-8"))
    except BadStudy as bad:
        raise Refused(f"studies/{name}/study.yaml: {bad}") from None
    try:
        figures = published.read((path / "published.csv").read_text(encoding="utf-8"))
    except BadStudy as bad:
        raise Refused(f"studies/{name}/{bad}") from None
    if found.analysis and found.analysis not in analyses.names():
        known_ones = ", ".join(analyses.names())
        raise Refused(f"studies/{name}/study.yaml: there is no analysis {found.analysis}. There are: {known_ones}.")
    for row in found.batches:
        if row.preface and not (path / row.preface).is_file():
            raise Refused(f"studies/{name}/study.yaml: batches.{row.name}.preface: there is no file {row.preface}")
    known = {row.name for row in (*found.rounds, *found.batches)} | ({published.ANALYSIS} if found.analysis else set())
    for figure in figures:
        place = f"studies/{name}/published.csv: {figure.figure}"
        if unknown := [batch for batch in figure.batches if batch not in known]:
            raise Refused(f"{place}: there is no batch {unknown[0]}")
        sizes = {row.name: len(row.datasets) for row in found.batches}
        if "{}" in figure.path and any(sizes.get(batch) != 1 for batch in figure.batches):
            raise Refused(f"{place}: {{}} needs batches of one dataset each")
    return Folder(name, path, found, figures)
