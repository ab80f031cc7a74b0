"""A run keeps what its study computes from all batches together."""

from django.db import migrations, models

import annotation.models.fields


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_studies")]

    operations = [
        migrations.AddField(
            model_name="studyrun",
            name="analysis",
            field=annotation.models.fields.JSONTextField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="studyrun",
            name="analysed",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
