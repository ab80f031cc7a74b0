"""Call an operation of the API on this server."""

import argparse
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any

from django.conf import settings

from annotation.api.calls import Call, Parameter, operations
from annotation.management.api_command import ApiCommand, caller, value_of, write
from annotation.management.json_command import project_of, words


class Help(argparse.Action):
    """`--help`, which after an operation says its parameters."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        known = operations().get((getattr(namespace, "words", None) or [""])[0])
        print("\n".join(described(known)) if known else parser.format_help())
        parser.exit()


def described(operation: Call) -> Iterator[str]:
    """What an operation does and takes."""
    yield f"{operation.id}: {operation.summary}."
    if operation.description:
        yield fill(" ".join(operation.description.split()), 100)
    yield "\nparameters, each as KEY=VALUE:" if operation.parameters else "\nIt has no parameters."
    for one in operation.parameters.values():
        yield f"  {one.name} ({one.kind}){' required' if one.required else ''}"
        if one.help:
            yield fill(one.help, 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


def listed() -> Iterator[str]:
    """Every operation in a line, by subject."""
    every = operations().values()
    width = max(len(operation.id) for operation in every)
    for subject in sorted({operation.subject for operation in every}):
        yield f"{subject}:"
        found = sorted((one for one in every if one.subject == subject), key=lambda one: one.id)
        yield from (f"  {one.id:{width}}  {one.summary}" for one in found)


class Command(ApiCommand):
    help = (
        "Call an operation of the API, with its permissions and log. Without one, list all; after one, --help says its "
        "parameters. Repeat a KEY, or give JSON, for a list; KEY=@FILE sends a file, or the text that it holds."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(prog_name, subcommand, add_help=False, **kwargs)

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("-h", "--help", action=Help, nargs=0, help="show this help; after OPERATION also its parameters")
        add("words", nargs="*", type=words(10**6), metavar="OPERATION KEY=VALUE …")
        add("--as", dest="caller", type=words(254), metavar="USER", help="who calls (default: the only owner)")
        add("--key", type=words(255), default="", help="idempotency key: the same call with it is carried out once")
        add("--out", type=Path, metavar="FILE", help="where to write a file that the operation gives (default: stdout)")
        add("--wait", action="store_true", help="carry out the job that the operation queues, and print its result")

    def act(self, **options: Any) -> Any:
        name, *given = options["words"] or [""]
        if not name:
            return {"operations": {one.id: one.summary for one in operations().values()}}
        operation = self._operation(name)
        values: dict[str, list[str]] = {}
        for pair in given:
            key, equals, text = pair.partition("=")
            if not equals:
                self.usage(f"{pair}: write KEY=VALUE")
            values.setdefault(key, []).append(text)
        if missing := [
            one.name for one in operation.parameters.values() if one.place == "path" and one.name not in values
        ]:
            self.usage("\n".join(f"{name}: This field is required." for name in missing))
        project = project_of(options)
        unknown = Parameter("", "query", "text")  # the operation says that there is none
        sent = {key: value_of(operation.parameters.get(key, unknown), texts) for key, texts in values.items()}
        result = self.call(operation, project, sent, user=caller(project, options["caller"]), key=options["key"])
        if not isinstance(result, dict | list):
            return write(result, options["out"])
        is_queued = options["wait"] and operation.is_job
        return self.finished(result) if is_queued and isinstance(result, dict) else result

    def _operation(self, name: str) -> Call:
        every = operations()
        if name not in every:
            near = get_close_matches(name, every, n=3)
            hint = f"Did you mean {', '.join(near)}?" if near else f"To list all: {settings.PROGRAM} call"
            self.usage(f"There is no operation {name}. {hint}")
        return every[name]

    def lines(self, result: Any) -> list[str]:
        return list(listed()) if isinstance(result, dict) and "operations" in result else super().lines(result)
