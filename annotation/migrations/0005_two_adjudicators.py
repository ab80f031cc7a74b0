"""Two requesters can adjudicate the HITs of a batch independently; batches that are there keep one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_hit_by_disagreement")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="two_adjudicators",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="adjudications", to="annotation.hit"
                    ),
                ),
                (
                    "adjudicator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("edited", "accepted with an edit"),
                            ("excluded", "HIT excluded"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="adjudications",
                        to="annotation.assignment",
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=0)),
                ("text", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["hit", "adjudicator"], name="adjudicated_once_each"),
                    models.CheckConstraint(
                        condition=Q(decision="excluded", assignment__isnull=True, text="") & ~Q(reason="")
                        | Q(decision="accepted", assignment__isnull=False, text="", reason="")
                        | Q(decision="edited", assignment__isnull=False, reason="") & ~Q(text=""),
                        name="adjudication_is_whole",
                    ),
                ],
            },
        ),
    ]
