"""Adjudicators can name the cause of a disagreement; decisions that are there have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_preregistration")]

    operations = [
        migrations.AddField(
            model_name=model, name="cause", field=models.CharField(blank=True, db_default="", default="", max_length=20)
        )
        for model in ("hit", "adjudication")
    ]
