"""Broken bridges of a project, and the HITs that each of them closed."""

from django.db import models

from annotation.models import Hit, Project
from annotation.models.fields import TimestampField


class BrokenBridge(models.Model):
    """An edge between two single-hop questions whose mentions people judged to be different entities.

    `head` and `tail` are the questions as the judges read them; `key` is that of the bridge (pure/derivations/bridges).
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="broken_bridges")
    key = models.CharField(max_length=64)  # SHA-256
    head_id = models.TextField(blank=True)  # of the head among single-hop questions; "": it has none
    head = models.TextField()
    tail = models.TextField()
    entity = models.TextField()
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="broken_bridges")  # where it was judged
    created_at = TimestampField(auto_now_add=True)
    searched_at = models.DateTimeField(null=True, blank=True)  # every HIT was looked at
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="broken_bridge_once")]
        indexes = [
            models.Index(
                fields=["id"],
                name="broken_bridge_to_search",
                condition=models.Q(searched_at__isnull=True, undone_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return self.entity


class ClosedHit(models.Model):
    """A HIT that was excluded before anybody began it, because it contains a broken bridge."""

    bridge = models.ForeignKey(BrokenBridge, models.CASCADE, related_name="closed")
    hit = models.OneToOneField(Hit, models.CASCADE, related_name="closed_by_bridge")

    def __str__(self) -> str:
        return f"{self.bridge_id}: {self.hit_id}"
