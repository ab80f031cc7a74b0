from django.db import migrations, models


def fill(apps, schema_editor):
    batches = apps.get_model("annotation", "Batch").objects.using(schema_editor.connection.alias)
    batches.filter(hit_type__isnull=False).update(by_program=True)


class Migration(migrations.Migration):
    """Hand the tables of the MTurk API to its app, which takes them over as they are."""

    dependencies = [("annotation", "0046_stored_names")]

    operations = [
        migrations.AddField("batch", "by_program", models.BooleanField(db_default=False, default=False)),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("Event"),
                migrations.DeleteModel("NotificationSetting"),
                migrations.DeleteModel("PolicyOutcome"),
                migrations.DeleteModel("RequestToken"),
                migrations.DeleteModel("Listing"),
                migrations.DeleteModel("HitType"),
            ],
        ),
    ]
