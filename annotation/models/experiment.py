"""Experiments: batches joined as arms, of which each worker draws one, or an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import random_seed
from annotation.models.batch import Batch
from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.project import Project, Worker, public_id

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class Experiment(models.Model):
    """The one entry to several batches, its `arms`. Workers see its title, and that of no arm."""

    class Each(models.TextChoices):
        ONE = "one", _("one arm, drawn at random")
        ORDER = "order", _("all arms, one after the other in a drawn order")

    arms: RelatedManager[Batch]

    project = models.ForeignKey(Project, models.CASCADE, related_name="experiments")
    slug = models.SlugField(_("name"), max_length=100)
    title = models.CharField(_("title shown to workers"), max_length=200)
    each = models.CharField(_("each worker gets"), max_length=5, choices=Each, default=Each.ONE)
    token = models.CharField(max_length=32, unique=True, default=public_id)  # of its link
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="experiment_name_once")]

    def __str__(self) -> str:
        return self.slug


class ArmDraw(models.Model):
    """What a worker drew in an experiment: `order` has keys of batches, of which `arm` is open to them now.

    The draw follows from `seed` and the draws before it (pure/batches/arm_draw).
    """

    experiment = models.ForeignKey(Experiment, models.PROTECT, related_name="draws")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="arm_draws")
    order = JSONTextField()
    arm = models.ForeignKey(Batch, models.PROTECT, related_name="drawn")
    seed = models.BigIntegerField(default=random_seed)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["experiment", "worker"], name="arm_drawn_once")]

    @property
    def position(self) -> int:
        """Of the arm that is open, from 1."""
        return int(self.order.index(self.arm_id)) + 1
