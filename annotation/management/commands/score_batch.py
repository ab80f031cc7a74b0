"""Compute the report of a batch."""

from collections.abc import Iterator
from typing import Any

from annotation.flow.refusal import Refused
from annotation.flow.scoring import score_batch
from annotation.management.door import Door, batch_named, project_of, slug
from annotation.models import Batch
from annotation.pure import tables


class Command(Door):
    help = "Compute the tables of a batch's report, with n and 95 % intervals."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
            raise Refused("This batch was not launched yet, so there is nothing to score.")
        return score_batch(batch, tell=self.teller("HITs"))

    def lines(self, result: dict[str, Any]) -> list[str]:
        if "tables" in result:
            return list(of_tables(result))
        return [line for name, found in result["datasets"].items() for line in table(name, found)]


def of_tables(result: dict[str, Any]) -> Iterator[str]:
    """What stands out, then every table, then the report in words."""
    for flag in result.get("flags", ()):
        yield f"! {tables.sentence(flag)}"
    for found in result["tables"]:
        yield from tables.lines(found)
    if told := " ".join(map(tables.sentence, result.get("paragraph", ()))):
        yield told


def table(name: str, found: dict[str, Any]) -> list[str]:
    """One dataset's figures in percent, as a person reads them."""
    head = "{n} questions, {excluded} excluded; scorer {scorer}, support by {support_level}".format(**found)
    rows = []
    for part in ("answer", "support"):
        for measure, cells in found[part].items():
            em, f1 = (percent(cells[key]) for key in ("em", "f1"))
            rows.append(f"  {part:8} {measure:12} EM {em:22} F1 {f1}")
    return [f"{name}: {head}", *rows]


def percent(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return "-"
    value = f"{100 * figure['value']:.1f}"
    if figure["low"] is None:
        return value
    return f"{value} [{100 * figure['low']:.1f}, {100 * figure['high']:.1f}]"
