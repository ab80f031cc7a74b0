"""The definition of a study: what `study.yaml` in its folder says (docs/studies.md).

A study is a paper's work with people, described so that it can be launched and repeated: data, derivations from it,
qualification rounds, and batches. Names are local to the study; an option's value `$name` stands for the study's
dataset of that name.
"""

from __future__ import annotations  # the types of fields are read as texts

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from typing import Any, TypeVar

from annotation.pure.text.structured import yaml_library

PAPER, OURS = "paper", "ours"


class BadStudy(ValueError):
    """The definition is wrong; says where and why."""


@dataclass(frozen=True, slots=True)
class StudyData:
    """A file that the study begins with. `small`: a file of the folder to try the study on."""

    name: str
    format: str
    file: str
    where: str
    small: str
    small_format: str = "musique"
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class StudyDerivation:
    """A dataset made from one before it; with --scale, a sample's `count` is multiplied."""

    name: str
    source: str
    how: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StudyBatch:
    """A batch of HITs; `require` are qualifications as `create_batch --require` takes them.

    `instances` of each question are HITs of it. `preface` is a file of the folder whose text goes before the
    instructions. `protocol`: "ours" for a batch of ours in a study of the paper's.
    """

    name: str
    task: str
    datasets: list[str]
    title: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    assignments: int | None = None
    sample: int | None = None
    minutes: float | None = None
    require: list[str] = field(default_factory=list)
    instances: int = 1
    preface: str = ""
    protocol: str = PAPER


@dataclass(frozen=True, slots=True)
class StudyRound:
    """A qualification round; `rule` has clauses as `create_qualification_round --clause` takes them."""

    name: str
    task: str
    datasets: list[str]
    per_worker: int
    grants: str
    title: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    rule: list[str] = field(default_factory=list)
    grading: str = ""
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class StudyArms:
    """The batches `of` the study that are arms, by default all; `each` worker gets "one", or all in a drawn "order".

    Workers see `title` for every arm, by default that of the first batch.
    """

    each: str
    title: str = ""
    of: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Definition:
    """A study. `protocol`: "paper" if the paper's authors did this with people, "ours" if they did not.

    `analysis` names what is computed from all batches together (annotation/studies/analyses); "": nothing. `workers`:
    the least number of people who share the HITs of each batch, so what one of them may have of it is limited.
    """

    title: str
    paper: str
    about: str
    protocol: str
    data: tuple[StudyData, ...]
    derivations: tuple[StudyDerivation, ...]
    rounds: tuple[StudyRound, ...]
    batches: tuple[StudyBatch, ...]
    analysis: str = ""
    workers: int | None = None
    arms: StudyArms | None = None

    @property
    def datasets(self) -> tuple[StudyData | StudyDerivation, ...]:
        return (*self.data, *self.derivations)

    @property
    def launched(self) -> tuple[StudyRound | StudyBatch, ...]:
        return (*self.rounds, *self.batches)

    @property
    def arm_batches(self) -> list[StudyBatch]:
        """The batches that are arms."""
        return [row for row in self.batches if self.arms and (not self.arms.of or row.name in self.arms.of)]

    @property
    def own_batches(self) -> list[str]:
        """The names of the batches whose protocol is ours, in a study whose protocol is the paper's."""
        return [row.name for row in self.batches if self.protocol == PAPER and row.protocol == OURS]


Part = TypeVar("Part", StudyData, StudyDerivation, StudyRound, StudyBatch)
YAML_NAMES = {"source": "from"}  # "from" is no name in Python
KINDS: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "dict": dict, "list": list}


def yaml_reader() -> Any:
    """The package that reads YAML, an extra. Raises BadStudy where it is not installed."""
    if (yaml := yaml_library()) is None:
        raise BadStudy('studies need a package that is not installed: pip install "hopscribe[studies]"')
    return yaml


@lru_cache(maxsize=64)  # a page of a study asks for it dozens of times, and YAML takes 15 ms
def read(text: str) -> Definition:
    """The definition in a file's text. Raises BadStudy with the place in the file."""
    yaml = yaml_reader()
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as broken:
        raise BadStudy(f"it is not YAML: {' '.join(str(broken).split())}") from None
    if not isinstance(raw, dict):
        raise BadStudy("it needs the keys title, paper, about, data and batches")
    known = {each.name for each in fields(Definition)}
    if unknown := sorted(map(str, set(raw) - known)):
        raise BadStudy(f"{unknown[0]}: there is no such key; there are {', '.join(sorted(known))}")
    texts = {name: _text(raw, name) for name in ("title", "paper", "about")}
    protocol = _protocol(raw.get("protocol", PAPER), "protocol")
    analysis, workers = raw.get("analysis", ""), raw.get("workers")
    if not isinstance(analysis, str):
        raise BadStudy("analysis: write a name")
    if workers is not None and not (type(workers) is int and workers > 0):
        raise BadStudy("workers: write a whole number above 0")
    found = Definition(
        **texts,
        protocol=protocol,
        data=tuple(_parts(StudyData, raw, "data")),
        derivations=tuple(_parts(StudyDerivation, raw, "derivations")),
        rounds=tuple(_parts(StudyRound, raw, "rounds")),
        batches=tuple(_parts(StudyBatch, raw, "batches")),
        analysis=analysis,
        workers=workers,
        arms=_arms(raw["arms"]) if "arms" in raw else None,
    )
    _check_names(found)
    _check_arms(found)
    for row in found.batches:
        _protocol(row.protocol, f"batches.{row.name}.protocol")
    return found


def _arms(raw: Any) -> StudyArms:
    if not isinstance(raw, dict):
        raise BadStudy("arms: write each: one or each: order")
    return StudyArms(**_settings(StudyArms, raw, "arms"))


def _check_arms(found: Definition) -> None:
    if found.arms is None:
        return
    if found.arms.each not in ("one", "order"):
        raise BadStudy("arms.each: write one or order")
    for name in found.arms.of:
        if name not in [row.name for row in found.batches]:
            raise BadStudy(f"arms.of: there is no batch {name}")
    if len(found.arm_batches) < 2:
        raise BadStudy("arms.of: name at least two batches")


def _protocol(value: Any, place: str) -> str:
    if value not in (PAPER, OURS):
        raise BadStudy(f"{place}: write {PAPER} or {OURS}")
    return str(value)


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadStudy(f"{name}: write a text")
    return " ".join(value.split())


def _parts(kind: type[Part], raw: Mapping[str, Any], key: str) -> Iterator[Part]:
    rows = raw.get(key) or {}
    if not isinstance(rows, dict):
        raise BadStudy(f"{key}: write names with their settings below them")
    for name, settings in rows.items():
        place = f"{key}.{name}"
        if not isinstance(settings, dict):
            raise BadStudy(f"{place}: write settings below the name")
        yield kind(name=str(name), **_settings(kind, settings, place))


def _settings(kind: type, settings: Mapping[str, Any], place: str) -> dict[str, Any]:
    known = {YAML_NAMES.get(each.name, each.name): each for each in fields(kind) if each.name != "name"}
    if unknown := sorted(map(str, set(settings) - set(known))):
        raise BadStudy(f"{place}.{unknown[0]}: there is no such setting; there are {', '.join(known)}")
    found = {}
    for shown, each in known.items():
        if shown in settings:
            wanted = str(each.type).partition(" ")[0].partition("[")[0]
            if not isinstance(settings[shown], KINDS[wanted]) or isinstance(settings[shown], bool):
                raise BadStudy(f"{place}.{shown}: write {_in_words(wanted)}")
            found[each.name] = settings[shown]
        elif each.default is MISSING and each.default_factory is MISSING:
            raise BadStudy(f"{place}.{shown} is missing")
    return found


def _in_words(kind: str) -> str:
    words = {"str": "a text", "int": "a whole number", "float": "a number", "dict": "names with values"}
    return words.get(kind, "a list")


def _check_names(definition: Definition) -> None:
    """Every dataset is named once, before it is used."""
    there: list[str] = []
    for each in definition.datasets:
        if each.name in there:
            raise BadStudy(f"{each.name}: two datasets have this name")
        if isinstance(each, StudyDerivation):
            _check_named_before([each.source, *referred(each.options)], there, f"derivations.{each.name}")
        there.append(each.name)
    for row in definition.launched:
        _check_named_before(row.datasets, there, f"{row.name}.datasets")
    if not definition.batches:
        raise BadStudy("batches: a study needs at least one")


def _check_named_before(names: list[str], there: list[str], place: str) -> None:
    for name in names:
        if name not in there:
            raise BadStudy(f"{place}: there is no dataset {name} before it; there are {', '.join(there)}")


def referred(options: Mapping[str, Any]) -> list[str]:
    """The datasets that values `$name` stand for."""
    return [value[1:] for value in options.values() if isinstance(value, str) and value.startswith("$")]


def scaled(options: Mapping[str, Any], how: str, scale: float) -> dict[str, Any]:
    """The options of a derivation at that scale: a sample draws the share `scale` of its `count`, at least one."""
    if how != "sample" or "count" not in options:
        return dict(options)
    return {**options, "count": max(1, round(scale * options["count"]))}
