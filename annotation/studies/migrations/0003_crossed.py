"""A run keeps its figures over workers and items."""

from django.db import migrations

import annotation.models.fields


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_analysis")]

    operations = [
        migrations.AddField(
            model_name="studyrun",
            name="crossed",
            field=annotation.models.fields.JSONTextField(blank=True, null=True),
        ),
    ]
