from django.db import migrations


class Migration(migrations.Migration):
    """The tables of marketplaces belong to an app of their own from now on, whose first migration takes them over."""

    dependencies = [
        ("annotation", "0042_on_marketplace_filled"),
    ]

    operations = [
        migrations.RemoveField(model_name="batch", name="connection"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("Arrival"),
                migrations.DeleteModel("Publication"),
                migrations.DeleteModel("BatchMarketplace"),
                migrations.DeleteModel("Connection"),
            ]
        ),
    ]
