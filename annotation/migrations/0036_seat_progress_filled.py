from datetime import timedelta

from django.db import migrations
from django.db.models import Count, Max
from django.utils import timezone


def fill(apps, schema_editor):
    """What is asked of these columns: who worked in the last day, and how many judgments came from files. May run twice."""
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
    atomic = False  # nobody at work waits for a row of the first batch until the last one is filled

    dependencies = [
        ("annotation", "0035_seat_progress_index"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
