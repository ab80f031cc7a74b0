"""Compute the report of a batch."""

from collections.abc import Iterator
from typing import Any

from annotation.flow.batches.hit_filters import TIES, BatchPart
from annotation.flow.errors import Refused
from annotation.flow.reports import score_looks
from annotation.flow.reports.batch_scores import score_batch
from annotation.management.json_command import JSONCommand, batch_named, project_of, slug
from annotation.models import Batch
from annotation.pure.reports import tables
from annotation.pure.reports.report_values import tables_of

HEAD = "{n} questions, {excluded} excluded; scorer {scorer}, support by {support_level}"


class Command(JSONCommand):
    help = "Compute the report of a batch: tables with n and 95 % intervals, and the text."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument(
            "--ties", choices=TIES, default="",
            help="how tied majorities count in the human score of answer: expected value, or one tied answer drawn "
                "with the batch's seed",
        )  # fmt: skip
        parser.add_argument(
            "--pooled", action="store_true",
            help="of a batch with suggestions: count responses that started with one, too; the report says so",
        )  # fmt: skip

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
            raise Refused("This batch has not been launched yet.")
        part = BatchPart(ties=options["ties"], pooled=options["pooled"])
        report = score_batch(batch, part=part, progress=self.progress_printer("HITs"))
        score_looks.record_look(batch)
        return report

    def lines(self, result: dict[str, Any]) -> list[str]:
        return list(printed(result))


def printed(result: dict[str, Any]) -> Iterator[str]:
    """The report as lines: findings, tables with their notes, text."""
    for warning in result.get("warnings", ()):
        yield f"! {tables.sentence(warning)}"
    for name, study in result.get("datasets", {}).items():
        yield f"{name}: {HEAD.format(**study)}"
    if result.get("ties") == "random":
        yield "Ties: where the majority is tied, the human score is that of one tied answer, drawn by seed."
    for found in tables_of(result):
        yield from tables.lines(found)
        if note := tables.note_of(found):
            yield f"  {note}"
    if paragraph := " ".join(map(tables.sentence, result.get("paragraph", ()))):
        yield paragraph
