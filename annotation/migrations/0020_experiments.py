"""Experiments: batches joined as arms, of which each worker draws one, or an order."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotation.models.assignment
import annotation.models.fields
import annotation.models.project


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0019_lz4"),
    ]

    operations = [
        migrations.CreateModel(
            name="Experiment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=100, verbose_name="name")),
                ("title", models.CharField(max_length=200, verbose_name="title shown to workers")),
                (
                    "each",
                    models.CharField(
                        choices=[
                            ("one", "one arm, drawn at random"),
                            ("order", "all arms, one after the other in a drawn order"),
                        ],
                        default="one",
                        max_length=5,
                        verbose_name="each worker gets",
                    ),
                ),
                ("token", models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="experiments", to="annotation.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ArmDraw",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("order", annotation.models.fields.JSONTextField()),
                ("seed", models.BigIntegerField(default=annotation.models.assignment.random_seed)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "arm",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="drawn", to="annotation.batch"
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="arm_draws", to="annotation.worker"
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="draws", to="annotation.experiment"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="batch",
            name="experiment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="arms",
                to="annotation.experiment",
            ),
        ),
        migrations.AddConstraint(
            model_name="experiment",
            constraint=models.UniqueConstraint(fields=("project", "slug"), name="experiment_name_once"),
        ),
        migrations.AddConstraint(
            model_name="armdraw",
            constraint=models.UniqueConstraint(fields=("experiment", "worker"), name="arm_drawn_once"),
        ),
    ]
