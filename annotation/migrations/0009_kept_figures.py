"""Figures of large batches that a sweep counts, and indexes for lists of HITs and of workers."""

import django.db.models.deletion
from django.db import migrations, models

import annotation.models.fields
from annotation.operations.online_indexes import AddIndexWhileServing


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0008_conclusions")]

    operations = [
        migrations.CreateModel(
            name="BatchFigure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
                ("value", annotation.models.fields.JSONTextField()),
                ("counted_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="figures", to="annotation.batch"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("batch", "name"), name="figure_once")],
            },
        ),
        AddIndexWhileServing("hit", models.Index(fields=["batch", "ticket"], name="hit_by_ticket")),
        AddIndexWhileServing("hit", models.Index(fields=["batch", "-done", "id"], name="hit_by_done")),
        AddIndexWhileServing(
            "assignment", models.Index(fields=["worker", "accepted_at"], name="assignment_latest")
        ),
    ]
