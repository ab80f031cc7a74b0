"""Compute the report of a batch."""

from collections.abc import Iterator
from typing import Any

from annotation.flow.refusal import Refused
from annotation.flow.scoring import score_batch
from annotation.management.door import Door, batch_named, project_of, slug
from annotation.models import Batch
from annotation.pure import tables
from annotation.pure.cuts import TIES, Cut
from annotation.pure.report_values import tables_of

HEAD = "{n} questions, {excluded} excluded; scorer {scorer}, support by {support_level}"


class Command(Door):
    help = "Compute the tables of a batch's report, with n and 95 % intervals."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument(
            "--ties", choices=TIES, default="",
            help="how the human score of answer breaks ties: by the expected value, or at random by the batch's seed",
        )  # fmt: skip

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
            raise Refused("This batch was not launched yet, so there is nothing to score.")
        return score_batch(batch, cut=Cut(ties=options["ties"]), tell=self.teller("HITs"))

    def lines(self, result: dict[str, Any]) -> list[str]:
        return list(printed(result))


def printed(result: dict[str, Any]) -> Iterator[str]:
    """What stands out, then every table with its note, then the report in words."""
    for flag in result.get("flags", ()):
        yield f"! {tables.sentence(flag)}"
    for name, study in result.get("datasets", {}).items():
        yield f"{name}: {HEAD.format(**study)}"
    if result.get("ties") == "random":
        yield "Where the majority is tied, the human score is that of one of the tied answers, drawn by seed."
    for found in tables_of(result):
        yield from tables.lines(found)
        if note := tables.note_of(found):
            yield f"  {note}"
    if told := " ".join(map(tables.sentence, result.get("paragraph", ()))):
        yield told
