"""Commands that are former names of operations of the API: which operation each calls, and what its options are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.api.calls import Parameter, operations
from annotation.management.api_command import ApiCommand, file_of
from annotation.management.json_command import existing, percent, project_of, words


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
