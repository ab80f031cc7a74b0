"""The list of HITs by disagreement reads an index, whichever database sorts NULLs where."""

from django.db import migrations, models

from annotation.operations.online_indexes import AddIndexWhileServing


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0003_own_order")]

    operations = [
        migrations.RemoveIndex(model_name="hit", name="hit_by_disagreement"),
        AddIndexWhileServing(
            model_name="hit",
            index=models.Index(
                "batch",
                models.Func(
                    "disagreement", template="COALESCE(%(expressions)s, -1)", output_field=models.FloatField()
                ).desc(),
                "id",
                name="hit_by_disagreement",
            ),
        ),
    ]
