from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0007_the_crowd"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="checked_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="seat",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
