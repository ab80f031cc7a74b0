"""A batch can limit how many of its HITs one worker gets; batches that are there have no limit."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_kept_figures")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="most_per_worker",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="HITs per worker at most"),
        ),
    ]
