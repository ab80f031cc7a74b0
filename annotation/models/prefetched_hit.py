"""HITs held for workers whose browser has loaded them as the next item."""

from django.db import models

from annotation.models.assignment import random_seed
from annotation.models.batch import Batch, Hit
from annotation.models.project import Worker, mturk_id


class PrefetchedHit(models.Model):
    """A place in a HIT, held for a worker until they submit the item before it.

    It counts in the HIT's `live`. `public_id` and `seed` are those of the assignment that it becomes,
    `cursor` is then the worker's, if theirs is lower.
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="prefetched_hits")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="prefetched_hits")
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="prefetched")
    public_id = models.CharField(max_length=32, unique=True, default=mturk_id)
    seed = models.BigIntegerField(default=random_seed)
    cursor = models.BigIntegerField(default=-1, db_default=-1)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "worker"], name="prefetched_once")]
