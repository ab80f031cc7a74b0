"""HITs to adjudicate and gold in doubt are kept in the HITs' rows; of those that are there, all is to be worked out."""

from django.db import migrations, models
from django.db.models import F, Q

from annotation.operations.online_indexes import AddIndexWhileServing

class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0007_shows_scores")]

    operations = [
        migrations.AddField("hit", "changes", models.PositiveIntegerField(db_default=1, default=1)),
        migrations.AddField("hit", "concluded", models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddField("hit", "open_kind", models.CharField(blank=True, max_length=100, null=True)),
        migrations.AddField("hit", "standing", models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddField("hit", "in_doubt", models.BooleanField(db_default=False, default=False)),
        AddIndexWhileServing(
            "hit",
            models.Index(
                fields=["batch", "done", "room", "live"],
                name="hit_to_conclude",
                condition=Q(concluded__lt=F("changes"), excluded_at__isnull=True),
            ),
        ),
        AddIndexWhileServing(
            "hit",
            models.Index(
                fields=["batch", "item", "room", "live"],
                name="hit_to_adjudicate",
                condition=Q(open_kind__isnull=False, excluded_at__isnull=True),
            ),
        ),
        AddIndexWhileServing(
            "hit",
            models.Index(
                fields=["batch", "item"], name="hit_in_doubt", condition=Q(in_doubt=True, excluded_at__isnull=True)
            ),
        ),
    ]
