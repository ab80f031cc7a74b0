"""The base of commands that call an operation of the API in this process: values, result as text, errors; and those
that are former names of operations."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from django.core.files.base import ContentFile
from django.core.management.base import CommandError
from django.utils.text import Truncator

from annotation import jobs
from annotation.api.calls import Call, Parameter, operations, plain
from annotation.flow.data.dataset_files import whole_file
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log, job_queue
from annotation.flow.projects.request_context import acting
from annotation.management.json_command import (
    JSONCommand,
    account_of,
    batch_named,
    existing,
    percent,
    printable,
    project_of,
    words,
)
from annotation.models import Job, Member, Project, User, clock
from annotation.pure.reports import tables

SOON = timedelta(minutes=1)
WIDEST = 60  # characters of a column


class Report(Refused):
    """A refusal with a report of what is wrong, such as a file's lines."""

    def __init__(self, text: str, report: dict[str, Any]) -> None:
        super().__init__(text)
        self.report = report


class ApiCommand(JSONCommand):
    """A command that calls an operation."""

    def call(
        self, operation: Call, project: Project, values: Mapping[str, Any], *, user: User | None, key: str = ""
    ) -> Any:
        """The operation's result as plain JSON, or its response if that is a file. Raises Refused."""
        with acting(audit_log.Via.COMMAND, lambda: user):
            response = operation.send(project.slug, values, user=user, key=key)
        content = plain(response)
        if response.status_code == 404:
            _name_missing(operation, project, values)
        if response.status_code >= 400:
            self._complain(content)
        return response if content is None else content

    def _complain(self, problem: dict[str, Any]) -> None:
        """Exit with the problem's text: 2 if fields are wrong, else 1."""
        errors = [(row["field"], row["detail"]) for row in problem.get("errors", ())]
        text = "\n".join(f"{field}: {detail}" if field != "request" else detail for field, detail in errors)
        if any(field != "request" for field, _detail in errors):
            raise CommandError(printable(text), returncode=2)
        raise Report(text or problem["detail"], problem.get("report", {}))

    def finished(self, queued: dict[str, Any]) -> dict[str, Any]:
        """The result of a queued job, carried out here unless somebody else does; the job itself if it is due later.

        Raises Refused if the job fails.
        """
        job = Job.objects.get(public_id=queued["id"])
        if job.due_at > clock.now() + SOON:
            return queued
        while job.state in {Job.State.WAITING, Job.State.RUNNING}:
            if taken := job_queue.take(job):
                job_queue.run(taken, jobs.verbs())
            else:
                time.sleep(0.5)  # another process has it
            job.refresh_from_db()
        if job.state == Job.State.FAILED:
            raise Report(job.error, job.result)
        return cast(dict[str, Any], job.result)

    def lines(self, result: Any) -> list[str]:
        return list(readable(result))

    def _show(self, result: Any, *, as_json: bool) -> None:
        if result is not None:
            super()._show(result, as_json=as_json)


def _name_missing(operation: Call, project: Project, values: Mapping[str, Any]) -> None:
    """Raise Refused, naming what the path names and there is not."""
    parts = [name for name, one in operation.parameters.items() if one.place == "path"]
    if "batch" in parts:
        batch_named(project, str(values["batch"]))
    if parts and parts[-1] != "batch":
        raise Refused(f"There is no {operation.noun} {values[parts[-1]]} in project {project.slug}.")


def readable(result: Any) -> Iterator[str]:
    """A result as text: a table for a list, `key: value` for one."""
    if isinstance(result, list) or {"results", "next"} <= set(result):
        yield from _table(result if isinstance(result, list) else result["results"])
        if isinstance(result, dict) and result["next"]:
            yield f"There are more: {result['next'].partition('?')[2]}"
        return
    for key, value in result.items():
        if not isinstance(value, list) or not value or not isinstance(value[0], dict):
            yield f"{key}: {_cell(value)}"
        elif "columns" in value[0] and "rows" in value[0]:  # tables of a report
            for table in value:
                yield from ["", table["title"], *_aligned([table["columns"], *table["rows"]])]
        else:
            yield from [f"{key}:", *_table(value)]


def _table(rows: list[Any]) -> list[str]:
    if not rows or not isinstance(rows[0], dict):
        return [_cell(row) for row in rows] or ["none"]
    names = [name for name, value in rows[0].items() if not isinstance(value, dict | list)]
    return _aligned([names, *([row.get(name) for name in names] for row in rows)])


def _aligned(rows: list[list[Any]]) -> list[str]:
    cells = [[Truncator(" ".join(_cell(value).split())).chars(WIDEST) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str | float) or tables.is_figure(value):
        return tables.cell_text(value)
    return json.dumps(value, ensure_ascii=False)


def value_of(parameter: Parameter, texts: list[str]) -> Any:
    """The value of `key=text`, given as often as there are texts; `@FILE` is what the file holds."""
    if parameter.is_file:
        return file_of(texts[-1].removeprefix("@"))
    return parameter.value([_content(text) if text.startswith("@") else text for text in texts])


def file_of(path: str | Path) -> Any:
    """The file to upload."""
    return ContentFile(Path(path).read_bytes(), name=printable(Path(path).name))


def _content(text: str) -> str:
    try:
        return Path(text[1:]).read_text("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{text[1:]} is not text in UTF-8.") from None


def caller(project: Project, name: str | None) -> User:
    """The account of that name, or the project's only owner. Raises Refused, naming the owners if there are more."""
    if name:
        return account_of(name)
    owners = [one.user for one in project.members.filter(role=Member.Role.OWNER).select_related("user")]
    if len(owners) != 1:
        known = ", ".join(sorted(user.username for user in owners))
        have = f"has several owners. Choose one: --as {known}" if owners else "has no owner. Say who calls: --as NAME"
        raise Refused(f"Project {project.slug} {have}.")
    return owners[0]


def write(response: Any, out: Path | None) -> dict[str, Any] | None:
    """Write a file that an operation gives, to `out` or to stdout."""
    blocks = response.streaming_content if response.streaming else [response.content]
    if out is not None:
        written = whole_file(out, lambda file: sum(file.write(block) for block in blocks))
        return {"out": str(out), "bytes": written["records"], "sha256": written["sha256"]}
    for block in blocks:
        sys.stdout.buffer.write(block)
    sys.stdout.flush()
    return None


@dataclass(frozen=True, slots=True)
class Alias:
    """What a command calls.

    `words` are its arguments: {name: field of the operation}. Its options are the other fields, except that `names`
    has other names {field: option} and `types` {argument or field: parser}. `shows` is called if no option is given.
    `wait`: the command carries out the job that the operation queues, and prints its result.
    """

    operation: str
    words: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    shows: str = ""
    wait: bool = False


TEXT = words(1000)
SHARES = ("first", "second", "by_item", "by_worker", "alike")
ALIASES: dict[str, Alias] = {
    "create_results_dataset": Alias("createResultsDataset", {"batch": "batch"}, wait=True),
    "experiment": Alias("createExperiment", {"experiment": "name"}, {"batches": "arms"}, shows="getExperiment"),
    "power": Alias("getPower", {}, {"answers": "assignments"}, types=dict.fromkeys(SHARES, percent)),
    "reconcile_payout": Alias("reconcilePayouts", {"file": "file"}, types={"file": existing}),
}  # fmt: skip


class AliasCommand(ApiCommand):
    """A command of `ALIASES`. It acts in the installation's name, as commands do."""

    alias: Alias

    def add(self, parser: Any) -> None:
        for name in self.alias.words:
            parser.add_argument(name, type=self.alias.types.get(name, TEXT))
        for name, one in operations()[self.alias.operation].parameters.items():
            if name not in self.alias.words.values():
                option = self.alias.names.get(name, name).replace("_", "-")
                terms = {"type": self.alias.types.get(name, TEXT)} | ({"nargs": "+"} if one.is_list else {})
                parser.add_argument(f"--{option}", dest=name, help=one.help.replace("%", "%%"), **terms)

    def act(self, **options: Any) -> Any:
        operation, project = operations()[self.alias.operation], project_of(options)
        named = {name: options[word] for word, name in self.alias.words.items()}
        given = {name: options[name] for name in operation.parameters if options.get(name) is not None}
        if self.alias.shows and not given.keys() - named.keys():
            operation, given = operations()[self.alias.shows], {}
        sent = {name: self._value(operation.parameters[name], value) for name, value in (given | named).items()}
        result = self.call(operation, project, sent, user=None)
        if self.alias.wait:
            return self.finished(result)
        formerly = {name: word for word, name in self.alias.words.items()}
        return {formerly.get(name, name): value for name, value in result.items()}

    def _value(self, parameter: Parameter, value: Any) -> Any:
        if parameter.is_file:
            return file_of(value)
        return parameter.value(value if isinstance(value, list) else [str(value)])


def command(name: str) -> type[AliasCommand]:
    """The command of that former name."""
    alias = ALIASES[name]
    return type("Command", (AliasCommand,), {"alias": alias, "help": f"{operations()[alias.operation].summary}."})
