from django.db import migrations
from django.db.models import OuterRef, Subquery


def write_down(apps, schema_editor):
    """Each batch's marketplace in a row of its own, and with each of its HITs what was promised there."""
    Batch, Hit, BatchMarketplace, Publication = (
        apps.get_model("annotation", name) for name in ("Batch", "Hit", "BatchMarketplace", "Publication")
    )
    there = Batch._base_manager.filter(connection__isnull=False)
    BatchMarketplace.objects.bulk_create(
        (
            BatchMarketplace(batch_id=batch, connection_id=connection)
            for batch, connection in there.values_list("pk", "connection")
        ),
        batch_size=500,
    )
    there.update(on_marketplace=True)
    told = Publication.objects.filter(hit=OuterRef("pk")).values("reward")
    Hit.objects.filter(publication__isnull=False).update(promised=Subquery(told))


def put_back(apps, schema_editor):
    """The marketplace in a column of the batch, as before."""
    Batch, BatchMarketplace = (apps.get_model("annotation", name) for name in ("Batch", "BatchMarketplace"))
    there = BatchMarketplace.objects.filter(batch=OuterRef("pk")).values("connection")
    Batch._base_manager.filter(marketplace__isnull=False).update(connection=Subquery(there))
    BatchMarketplace.objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0041_on_marketplace"),
    ]

    operations = [migrations.RunPython(write_down, put_back)]
