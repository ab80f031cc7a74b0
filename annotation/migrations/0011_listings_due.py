from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_events_and_policies"),
    ]

    operations = [
        migrations.AddField(
            model_name="listing",
            name="moves",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="listing",
            name="due_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="listing",
            index=models.Index(
                fields=["project", "due_at"],
                name="listing_due",
                condition=models.Q(("due_at__isnull", False)),
            ),
        ),
    ]
