"""A closed batch can show each worker their own scores; batches that are there do not."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_comment")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="shows_scores",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
