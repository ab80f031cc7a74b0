"""What groups of items are made of, and in which batches workers wrote the questions of a batch."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0016_prediction_shown")]

    operations = [
        migrations.CreateModel(
            name="GroupPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("group_key", models.CharField(max_length=300)),
                ("part_key", models.CharField(max_length=300)),
                (
                    "root",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="group_parts",
                        to="annotation.dataset",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("group_key", "part_key"), name="group_part_once"),
                ],
                "indexes": [models.Index(fields=["part_key"], name="group_part_by_part")],
            },
        ),
        migrations.AddField(
            model_name="batch",
            name="has_group_parts",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="batch",
            name="source_batches",
            field=models.ManyToManyField(related_name="+", to="annotation.batch"),
        ),
    ]
