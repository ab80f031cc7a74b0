"""The studies: the folders in `studies/` at the top of the installation, found by discovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.derivations import DERIVATIONS
from annotation.flow.batches.settings import PLAIN
from annotation.flow.batches.settings import SETTINGS as BATCH
from annotation.flow.errors import Refused
from annotation.flow.people.qualification_rounds import ROUND_SETTINGS as ROUND
from annotation.flow.setting_values import InvalidSettings, read_options, read_values
from annotation.pure.people.round_rules import clause_of
from annotation.pure.setting_fields import settings_of
from annotation.pure.studies import definition, published
from annotation.pure.studies.definition import BadStudy, Definition, StudyBatch, StudyData, StudyRound
from annotation.pure.text import structured
from annotation.registry import presets, task_type, task_types
from annotation.studies import analyses

# What a batch or round of a study sets, by its name there, with the limits that it has everywhere.
LIMITED = [
    replace(one, name=one.option or one.name)
    for one in (*PLAIN, replace(BATCH["sample"], name="pool"), ROUND["per_worker"], ROUND["grading"])
]


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

    def options_of(self, row: StudyBatch | StudyRound) -> dict[str, Any]:
        """The options of a batch or round. An object, such as a rubric, may be the name of a file of the folder, which
        holds it as JSON or YAML, or of a preset of the task. Raises Refused for a name that is neither.
        """
        found = dict(row.options)
        for name, one in settings_of(task_type(row.task).Options).items():
            if one.type is object and isinstance(named := found.get(name), str):
                found[name] = self._object(named, presets(row.task), f"{row.name}.options.{name}")
        return found

    def _object(self, named: str, known: Mapping[str, Path], place: str) -> Any:
        file = self.path / named if (self.path / named).is_file() else known.get(named)
        where = f"studies/{self.name}/study.yaml: {place}"
        if file is None:
            raise Refused(f"{where}: there is no file and no preset {named}. Presets: {', '.join(known) or 'none'}.")
        try:
            return structured.read(file.read_text(encoding="utf-8"))
        except structured.NotStructured as wrong:
            raise Refused(f"{where}: {named}: {wrong}") from None

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
    known = {row.name for row in found.launched} | ({published.ANALYSIS} if found.analysis else set())
    for figure in figures:
        place = f"studies/{name}/published.csv: {figure.figure}"
        if unknown := [batch for batch in figure.batches if batch not in known]:
            raise Refused(f"{place}: there is no batch {unknown[0]}")
        sizes = {row.name: len(row.datasets) for row in found.batches}
        if "{}" in figure.path and any(sizes.get(batch) != 1 for batch in figure.batches):
            raise Refused(f"{place}: {{}} needs batches of one dataset each")
    folder = Folder(name, path, found, figures)
    try:
        _check_values(folder)
    except (BadStudy, InvalidSettings) as bad:
        raise Refused(f"studies/{name}/study.yaml: {bad}") from None
    return folder


def _check_values(folder: Folder) -> None:
    """Raise BadStudy or InvalidSettings for values beyond the limits of the settings that they become."""
    found = folder.definition
    for part in found.launched:
        place = f"{'rounds' if isinstance(part, StudyRound) else 'batches'}.{part.name}"
        if part.task not in task_types():
            raise BadStudy(f"{place}.task: there is no task {part.task}")
        read_options(task_type(part.task).Options, folder.options_of(part), within=f"{place}.options")
        given = {one.name: one for one in LIMITED if getattr(part, one.name, None) not in (None, "")}
        problems = read_values(given.values(), {name: getattr(part, name) for name in given})[1]
        if problems:
            raise InvalidSettings({f"{place}.{name}": texts for name, texts in problems.items()})
    for row in found.rounds:
        for clause in row.rule:
            try:
                clause_of(clause)
            except ValueError as wrong:
                raise BadStudy(f"rounds.{row.name}.rule: {wrong}") from None
    for made in found.derivations:
        if made.how not in DERIVATIONS:
            raise BadStudy(f"derivations.{made.name}.how: there is no derivation {made.how}")
        read_options(DERIVATIONS[made.how].Options, made.options, within=f"derivations.{made.name}.options")
