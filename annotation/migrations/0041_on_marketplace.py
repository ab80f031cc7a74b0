import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0040_webhooks_app"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="on_marketplace",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="hit",
            name="promised",
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True),
        ),
        migrations.CreateModel(
            name="BatchMarketplace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="marketplace",
                        to="annotation.batch",
                    ),
                ),
                (
                    "connection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="annotation.connection",
                    ),
                ),
            ],
        ),
    ]
