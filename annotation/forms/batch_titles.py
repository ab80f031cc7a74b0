"""The title that a new batch is proposed."""

from collections.abc import Iterable
from itertools import count

from django.utils.text import Truncator, slugify
from django.utils.translation import gettext as _

from annotation.models import Batch, Dataset, Project


def proposed_title(project: Project, datasets: Iterable[Dataset]) -> str:
    """A title after the datasets, with a number if its name is taken; "" without any."""
    names = ", ".join(row.slug for row in datasets)
    if not names:
        return ""
    title = _("Questions from %(dataset)s") % {"dataset": Truncator(names).chars(60)}
    taken = set(Batch.everything.filter(project=project).values_list("slug", flat=True))
    numbered = (title if k == 1 else f"{title} {k}" for k in count(1))
    return next(text for text in numbered if slugify(text) not in taken)
