"""The titles that new batches and qualification rounds are proposed."""

from collections.abc import Iterable
from itertools import count

from django.utils.text import slugify

from annotation.models import Batch, Project


def numbered_title(project: Project, title: str, *, other_than: Iterable[str] = ()) -> str:
    """The title, with a number if its name is taken by a batch, or is one of these."""
    taken = {*Batch.everything.filter(project=project).values_list("slug", flat=True), *map(slugify, other_than)}
    numbered = (title if k == 1 else f"{title} {k}" for k in count(1))
    return next(text for text in numbered if slugify(text) not in taken)
