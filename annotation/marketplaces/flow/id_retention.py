"""How long participants' ids are kept: as long as their studies say, then only the pseudonym is left."""

from contextlib import suppress
from datetime import timedelta

from django.db.models import Q
from django.db.models.functions import Now

from annotation.flow.errors import Refused
from annotation.flow.people import worker_erasure
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Batch, Worker, clock


def is_over(visit: Visit) -> bool:
    """Whether the visit's study is over, and its participants' ids have been kept long enough."""
    study = visit.study
    if study.ids_kept_days is None or visit.ended_at is None:
        return False
    is_closed = study.goal == PanelStudy.Goal.STOPPED or study.batch.state == Batch.State.CLOSED
    return is_closed and visit.ended_at + timedelta(days=study.ids_kept_days) < clock.now()


def sweep(*, limit: int = 50) -> int:
    """Erase ids whose time is over in all studies of the participant, once nothing is owed; returns how many."""
    over = Q(study__goal=PanelStudy.Goal.STOPPED) | Q(study__batch__state=Batch.State.CLOSED)
    rows = Visit.objects.filter(over, worker__erased_at=None, ended_at__lt=Now())
    erased = 0
    for days in {n for n in PanelStudy.objects.values_list("ids_kept_days", flat=True) if n is not None}:
        old = rows.filter(study__ids_kept_days=days, ended_at__lt=Now() - timedelta(days=days))
        # in random order, so that participants who are still owed something do not delay others
        for worker in Worker.objects.filter(pk__in=old.values("worker")).order_by("?")[:limit]:
            visits = Visit.objects.filter(worker=worker).select_related("study__batch")
            if all(is_over(visit) for visit in visits):
                with suppress(Refused):  # a payment or a decision is not through yet; the next sweep tries again
                    erased += worker_erasure.erase_worker(worker)
    return erased
