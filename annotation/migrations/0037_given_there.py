from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0036_seat_progress_filled"),
    ]

    operations = [
        migrations.AddField(
            model_name="qualification", name="given_there", field=models.IntegerField(blank=True, null=True)
        ),
    ]
