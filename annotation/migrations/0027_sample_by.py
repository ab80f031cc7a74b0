"""Samples drawn by a model's confidence; batches that are there were drawn uniformly."""

from django.db import migrations, models
from django.db.models import Q

from annotation.operations.migration_operations import AddCheckWhileServing

PROBABILITY = Q(inclusion_probability__isnull=True) | Q(inclusion_probability__gt=0, inclusion_probability__lte=1)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0026_suggestions")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="sample_by",
            field=models.CharField(
                choices=[
                    ("uniform", "with equal chances"),
                    ("confidence", "by a model’s confidence"),
                ],
                db_default="uniform",
                default="uniform",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="batchmodel", name="drew_up_to", field=models.PositiveBigIntegerField(null=True)
        ),
        migrations.AddField(
            model_name="hit", name="inclusion_probability", field=models.FloatField(blank=True, null=True)
        ),
        AddCheckWhileServing(
            model_name="hit",
            constraint=models.CheckConstraint(condition=PROBABILITY, name="hit_inclusion_probability"),
        ),
    ]
