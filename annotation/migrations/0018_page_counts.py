"""Batches can count pasting and absences; batches and responses that are there have no counts."""

from django.db import migrations, models

import annotation.models.fields


class Migration(migrations.Migration):
    dependencies = [("annotation", "0017_group_parts")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="counts_pasting",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="workerresponse",
            name="page_counts",
            field=annotation.models.fields.JSONTextField(blank=True, null=True),
        ),
    ]
