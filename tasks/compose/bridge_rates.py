"""Rates of broken bridges, by edge and overall, for these workers and for workers in general."""

from collections.abc import Sequence
from typing import Any

from annotation.pure.data.shape_words import shape_words
from annotation.pure.statistics.cluster_intervals import clustered_share
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response, over_workers, too_few
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON
from annotation.tasktype.helpers.report_tables import table, text_cell

from .batch_counts import Bridge, Edge, Tally
from .bridge_judgments import ENDS

JUDGED = _(
    "An edge is judged only if the edges before it were judged the same. Known edges are not counted. The "
    "intervals beside the rates resample graphs, each with all its judgments."
)
IN_GENERAL = _(
    "Intervals over annotators and items are about people in general (Student's t, variance by items and by "
    "annotators). A dash means that fewer than seven annotators judged the edge."
)
OVER = {
    "different": _("not the same, over annotators and items"),
    "unsure": _("cannot tell, over annotators and items"),
}


def overall(counted: Tally, seed: int) -> JSON:
    """The judgments of all bridges whose truth was not known: how many of each kind, and their shares."""
    kinds = {"same": _("the same"), "different": _("not the same"), "unsure": _("cannot tell")}
    rows = [
        [
            text_cell(text),
            sum(b.judgment == kind for b in counted.bridges),
            rate(counted.bridges, seed, (kind,)).as_json(),
        ]
        for kind, text in kinds.items()
        if counted.bridges
    ]
    columns = (_("judgment"), _("bridges"), _("share"))
    return table("bridges", _("The bridge check, all edges"), columns, rows, leads=False)


def by_edge(counted: Tally, seed: int) -> JSON:
    """The table by edge; with columns about workers in general only if an edge was judged by enough workers."""
    kinds = {"different": _("not the same"), "unsure": _("cannot tell")}
    edges: dict[Edge, list[Bridge]] = {}
    for bridge in counted.bridges:
        edges.setdefault(bridge.edge, []).append(bridge)
    rows: list[list[Any]] = []
    general = []
    for (shape, head, tail), of in sorted(edges.items()):
        shares = [rate(of, seed, (kind,)).as_json() for kind in kinds]
        rows.append([text_cell(shape_words(shape)), f"{head}→{tail}", len(of), *shares])
        general.append([general_rate(of, (kind,)) for kind in kinds])
    columns, note = [_("shape"), _("edge"), _("judged"), *kinds.values()], too_few(len(counted.workers))
    if any(cell is not None for cells in general for cell in cells):
        columns, note = [*columns, *OVER.values()], text_cell(IN_GENERAL)
        rows = [[*row, *cells] for row, cells in zip(rows, general, strict=True)]
    shapes = [{"shape": shape} for shape, _head, _tail in sorted(edges)]
    return table("by-edge", _("The bridge check, edge by edge"), columns, rows, [JUDGED, note], of=shapes)


def rate(bridges: Sequence[Bridge], seed: int, kinds: Sequence[str] = ENDS) -> Figure:
    """The rate of judgments of these `kinds` for these workers; the judgments of a graph are resampled together."""
    return clustered_share(((bridge.hit, bridge.judgment in kinds) for bridge in bridges), seed, resamples=1_999)


def general_rate(bridges: Sequence[Bridge], kinds: Sequence[str] = ENDS) -> JSON | None:
    """The same with the interval over workers and graphs; None for too few workers."""
    figure = over_workers(Response(b.hit, b.worker, float(b.judgment in kinds)) for b in bridges)
    return None if figure.n < LEAST_WORKERS else figure.as_json()


def percent(share: float) -> float:
    return round(100 * share, 1)
