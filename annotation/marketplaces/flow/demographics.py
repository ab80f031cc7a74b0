"""Demographics from a panel's export: joined to a study's participants, kept as ticked, shown by groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants
from annotation.formats.cells import all_lines, fits
from annotation.marketplaces.flow import visit_states
from annotation.marketplaces.flow.studies import kind_of
from annotation.marketplaces.models import Demographic, PanelStudy
from annotation.marketplaces.models.studies import LONGEST
from annotation.models import Batch, Worker
from annotation.pure.people import demographics

ID = "participant id"
Columns = Mapping[str, Mapping[str, str]]  # {column: {key of the worker: value}}


@dataclass(frozen=True, slots=True)
class Export:
    """The columns of a panel's export that can be kept, and how many of its rows are of nobody who counts here.

    `strange`: names of columns that are left out because this kind of marketplace is not known to have them.
    """

    columns: Columns
    joined: int
    unknown: int
    strange: Sequence[str]


def read(study: PanelStudy, content: bytes) -> Export:
    """Join a panel's export, a table with the column "Participant id", to the study's participants. Raises Refused."""
    header, rows = _table(content)
    own = kind_of(study.connection).demographics
    strange = [name for name in header if own and demographics.tells_of_person(name) and name.lower() not in own]
    known = dict(study.visits.filter(worker__in=_participants(study)).values_list("participant", "worker"))
    at = [name.lower() for name in header].index(ID)
    found: dict[str, dict[str, str]] = {name: {} for name in header}
    joined, unknown = set(), 0
    for row in rows:
        worker = known.get(row[at].strip())
        if worker is None:
            unknown += 1
            continue
        joined.add(worker)
        for name, cell in zip(header, row, strict=True):
            if value := demographics.value_of(name, cell):
                found[name][str(worker)] = value
    if not joined:
        raise Refused(_("No participant of the file is one of this study."))
    offered = {
        name: kept
        for name, kept in found.items()
        if name not in strange and demographics.is_offered(name, kept.values(), longest=LONGEST)
    }
    if not offered:
        raise Refused(_("The file has no column that can be kept."))
    return Export(offered, len(joined), unknown, strange)


def _table(content: bytes) -> tuple[list[str], list[list[str]]]:
    table = list(all_lines(content))
    if wrong := next(((number, wrong) for number, _cells, wrong in table if wrong), None):
        raise Refused(_("Row %(n)s cannot be read: %(wrong)s") % {"n": wrong[0], "wrong": wrong[1]})
    header = table[0][1] if table else []
    if [name.lower() for name in header].count(ID) != 1:
        raise Refused(_("The file has no column “Participant id”."))
    named = [name for name in header if name]
    if len(set(named)) < len(named):
        raise Refused(_("Two columns of the file have the same name."))
    for number, cells, _wrong in table:
        if not fits(cells, len(header), len(header)):
            numbers = {"n": number, "cells": len(cells), "columns": len(header)}
            raise Refused(_("Row %(n)s has %(cells)s cells, but there are %(columns)s columns.") % numbers)
    places = [at for at, name in enumerate(header) if name]
    return named, [[cells[at] for at in places] for _number, cells, _wrong in table[1:]]


def _participants(study: PanelStudy) -> QuerySet[Worker]:
    """Participants with a visit that counts, who neither withdrew their consent nor were erased."""
    visits = study.visits.exclude(visit_states.is_left_out())
    return Worker.objects.filter(pk__in=visits.values("worker"), erased_at=None, consented_version__gt=0)


@transaction.atomic
def store(study: PanelStudy, columns: Columns) -> int:
    """Keep these columns instead of those kept before; returns of how many participants."""
    # lock: who withdraws or is erased at the same time is either left out, or has these deleted
    rows = _participants(study).select_for_update(no_key=True).order_by("pk")
    present = {str(worker.pk): worker for worker in rows}
    forget(study)
    made = [
        Demographic(study=study, worker=present[key], name=name, value=value)
        for name, values in columns.items()
        for key, value in values.items()
        if key in present
    ]
    Demographic.objects.bulk_create(made, batch_size=1000)
    return len({row.worker_id for row in made})


def forget(study: PanelStudy) -> None:
    """Delete all demographics of a study."""
    Demographic.objects.filter(study=study).delete()


def tables(study: PanelStudy) -> list[dict[str, Any]]:
    """For each column its name, its groups, and the measure of their means: grades in rounds, agreement elsewhere."""
    values: dict[str, dict[int, str]] = {}
    rows = Demographic.objects.filter(study=study, worker__in=_participants(study)).order_by("name", "worker")
    for name, worker, value in rows.values_list("name", "worker", "value"):
        values.setdefault(name, {})[worker] = value
    if not values:
        return []
    figure = "agreement" if study.batch.purpose == Batch.Purpose.PRODUCTION else "grade"
    scores = {worker.pk: percent for worker, percent in bulk_grants.figures_of([study.batch], figure).items()}
    measure = bulk_grants.FIGURES[figure]
    return [
        {"name": name, "groups": demographics.groups(of_each, scores), "measure": measure}
        for name, of_each in values.items()
    ]
