from django.db import migrations


class Migration(migrations.Migration):
    """Name the tables after the app that they belong to."""

    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelTable("webhook", None),
        migrations.AlterModelTable("webhookevent", None),
        migrations.AlterModelTable("delivery", None),
    ]
