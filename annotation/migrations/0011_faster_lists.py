"""Indexes for searches in the questions of very many items, late pages of the list of HITs, and hours."""

from django.db import migrations, models

from annotation.operations.online_indexes import AddIndexWhileServing, AddTrigramIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0010_most_per_worker")]

    operations = [
        AddTrigramIndex("item", "question", name="item_by_text"),
        migrations.RemoveIndex(model_name="hit", name="hit_by_disagreement"),
        AddIndexWhileServing(
            model_name="hit",
            index=models.Index(
                "batch",
                models.Func(
                    "disagreement", template="COALESCE(%(expressions)s, -1)", output_field=models.FloatField()
                ).desc(),
                "id",
                "disagreement",
                "check_item",
                name="hit_by_disagreement",
            ),
        ),
        AddIndexWhileServing(
            model_name="assignment",
            index=models.Index(
                fields=["worker", "ended_at"],
                name="assignment_ended",
                condition=models.Q(state__in=["returned", "expired"]),
            ),
        ),
    ]
