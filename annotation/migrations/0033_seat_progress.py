from datetime import timedelta

from django.db import migrations, models
from django.db.models import Count, Max
from django.utils import timezone

from annotation.schema import AddIndexWhileServing


def fill(apps, schema_editor):
    """What is asked of these columns: who worked in the last day, and how many judgments came from files."""
    Assignment, Batch, Collection, Seat = (
        apps.get_model("annotation", name) for name in ("Assignment", "Batch", "Collection", "Seat")
    )
    since = timezone.now() - timedelta(days=1)
    for batch in Batch.objects.values_list("pk", flat=True):
        rows = Assignment.objects.filter(batch=batch, submitted_at__gt=since).order_by().values("worker")
        for row in rows.annotate(last=Max("submitted_at")):
            Seat.objects.filter(batch=batch, worker=row["worker"], worked_at=None).update(worked_at=row["last"])
    for row in Assignment.objects.filter(collection__ready=True).order_by().values("collection").annotate(n=Count("pk")):
        Collection.objects.filter(pk=row["collection"]).update(size=row["n"])


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("annotation", "0032_letters_by_mail"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat", name="worked_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="collection", name="size", field=models.PositiveIntegerField(db_default=0, default=0)
        ),
        AddIndexWhileServing(
            model_name="seat",
            index=models.Index(fields=["batch", "worked_at", "worker", "done"], name="seat_progress"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
