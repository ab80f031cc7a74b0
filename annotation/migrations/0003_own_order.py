"""Batches that are there already keep the order they have; those made from now on have one for each worker."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0002_prefetched_hit'),
    ]

    operations = [
        migrations.AddField(
            model_name='batch',
            name='same_order',
            field=models.BooleanField(db_default=True, default=False, verbose_name='same order for all'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='ticket',
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='prefetchedhit',
            name='cursor',
            field=models.BigIntegerField(db_default=-1, default=-1),
        ),
    ]
