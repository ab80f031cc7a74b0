"""A dataset can state its ethics approval and the consent of those who worked on it; nothing is stated so far."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_faster_lists")]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="ethics",
            field=models.CharField(blank=True, db_default="", default="", max_length=500, verbose_name="ethics approval"),
        ),
        migrations.AddField(
            model_name="dataset",
            name="consent",
            field=models.CharField(blank=True, db_default="", default="", max_length=500, verbose_name="consent"),
        ),
    ]
