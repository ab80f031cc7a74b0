"""`join`: one dataset out of several, each question once."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.derivations.base import Derivation, Derived, Source, Tally
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import REQUIRED, Flaw, setting
from annotation.pure.text.translation_marks import gettext_noop


def _flaws(others: str) -> Iterator[Flaw]:
    if not _names(others):
        yield Flaw(REQUIRED)


def _names(others: str) -> list[str]:
    return [name for text in others.split(",") if (name := text.strip())]


@dataclass(frozen=True)
class JoinOptions:
    """`others`: names of datasets, commas between."""

    others: str = setting(
        "",
        label=gettext_noop("Datasets to add"),
        help=gettext_noop(
            "Their questions are appended to this dataset's. Questions with an id that already exists are left out."
        ),
        kind="datasets",
        required=True,
        check=_flaws,
    )
    composed: bool = setting(
        False,
        label=gettext_noop("Leave out graphs without a question"),
        help=gettext_noop("These are graphs whose composition has not been chosen yet."),
    )


class Join(Derivation):
    how: str = "join"
    title: str = gettext_noop("Joined datasets")
    does: str = gettext_noop("Combines the questions of several datasets into one, such as composed and chosen ones.")
    suffix: str = "joined"
    Options: type = JoinOptions
    rank: int = 10

    def derive(self, source: Source, options: JoinOptions, *, seed: int, tally: Tally) -> Derived:
        """The examples in the order of the datasets; nothing is random. Rows of one dataset may share an id."""
        taken: set[str] = set()
        by_dataset: dict[str, int] = {}
        tally.figures["questions of"] = by_dataset
        for each in [source, *map(source.other, _names(options.others))]:
            own: set[str] = set()
            for example in each.examples():
                tally.read += 1
                if reason := _drop_reason(example, options, taken):
                    tally.drop(reason)
                    continue
                own.add(example.id)
                by_dataset[each.name] = by_dataset.get(each.name, 0) + 1
                tally.kept += 1
                yield "", example
            taken |= own


def _drop_reason(example: Example, options: JoinOptions, taken: set[str]) -> str:
    if options.composed and not example.question.strip():
        return "it has no question yet"
    return "a question of this id is there already" if example.id in taken else ""


DERIVATION = Join()
