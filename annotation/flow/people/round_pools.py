"""The pool of a qualification round: the items that it draws from and that other batches leave out."""

from collections.abc import Mapping

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.batches import item_selection
from annotation.flow.errors import Refused
from annotation.models import Batch, QualificationRound
from annotation.pure.people import round_rules


def pool_of(batch: Batch) -> dict[str, int]:
    """The number of items of each dataset in a round's pool; for a draft, as a launch would select them."""
    return item_selection.select(batch).by_dataset if batch.launched_at is None else _of_hits(batch)


def _of_hits(batch: Batch) -> dict[str, int]:
    counted = dict.fromkeys(sorted(batch.datasets.values_list("slug", flat=True)), 0)
    rows = batch.hits.order_by().values_list("item__dataset__slug").annotate(n=Count("pk"))
    return counted | dict(rows)


def check_made(round: QualificationRound) -> None:
    """Refuse a launch with too few HITs for the round."""
    check(_of_hits(round.batch), per_worker=round.per_worker, tries=round.attempts)


def check(there: Mapping[str, int], *, per_worker: int, tries: int) -> None:
    """Refuse a round whose datasets have too few items: no worker sees one twice, and each dataset gives its share."""
    for slug, share in round_rules.shares(per_worker, sorted(there)).items():
        if there[slug] < share * tries:
            text = _("%(name)s has %(there)s items for this qualification round, which needs %(wanted)s.")
            raise Refused(text % {"name": slug, "there": there[slug], "wanted": share * tries})


def whole_datasets(batch: Batch) -> list[str]:
    """Datasets of a round that have no items left for other batches."""
    pool = pool_of(batch)
    sizes = {dataset.slug: dataset.items.usable().count() for dataset in batch.datasets.all()}
    return [slug for slug, held in pool.items() if held == sizes[slug]]


def warnings_of(names: list[str]) -> list[str]:
    """Warnings that a round reserves whole datasets; empty if it reserves none."""
    if not names:
        return []
    text = ngettext(
        "This qualification round uses every item of %(names)s, so no items are left for production batches. "
        "Give the round a pool to leave some.",
        "This qualification round uses every item of the datasets %(names)s, so no items are left for "
        "production batches. Give the round a pool to leave some.",
        len(names),
    )
    return [text % {"names": ", ".join(names)}]
