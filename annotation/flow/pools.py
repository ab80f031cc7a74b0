"""The pool of a qualification round: the items that it draws from, and holds, so that other batches do not ask them."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow import choosing
from annotation.flow.refusal import Refused
from annotation.models import Batch, Round
from annotation.pure import rounds


def pool_of(batch: Batch) -> dict[str, int]:
    """How many items of each dataset a round draws from; of a draft, those that it would be launched with."""
    return choosing.select(batch).by_dataset if batch.launched_at is None else _of_hits(batch)


def _of_hits(batch: Batch) -> dict[str, int]:
    counted = dict.fromkeys(sorted(batch.datasets.values_list("slug", flat=True)), 0)
    rows = batch.hits.order_by().values_list("item__dataset__slug").annotate(n=Count("pk"))
    return counted | dict(rows)


def check_made(round: Round) -> None:
    """Refuse a launch whose HITs are too few for the round: some items may have none."""
    check(_of_hits(round.batch), per_worker=round.per_worker, tries=round.attempts)


def check(there: Mapping[str, int], *, per_worker: int, tries: int) -> None:
    """Refuse a round whose datasets lack items: nobody sees one twice, and each dataset gives its share."""
    for slug, share in rounds.shares(per_worker, sorted(there)).items():
        if there[slug] < share * tries:
            text = _("%(name)s has %(there)s items for this round, and it takes %(wanted)s.")
            raise Refused(text % {"name": slug, "there": there[slug], "wanted": share * tries})


def whole_datasets(batch: Batch) -> list[str]:
    """The datasets of a round that nothing is left of for other batches."""
    pool = pool_of(batch)
    sizes = {dataset.slug: dataset.items.usable().count() for dataset in batch.datasets.all()}
    return [slug for slug, held in pool.items() if held == sizes[slug]]


def warnings_of(names: list[str]) -> list[str]:
    """Says that a round holds whole datasets; nothing where it holds none."""
    if not names:
        return []
    text = ngettext(
        "This qualification round holds every item of %(names)s, so production batches can ask about none of them. "
        "Give the round a pool to leave some.",
        "This qualification round holds every item of the datasets %(names)s, so production batches can ask about none "
        "of them. Give the round a pool to leave some.",
        len(names),
    )
    return [text % {"names": ", ".join(names)}]
