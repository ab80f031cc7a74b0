from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0033_seat_progress")]

    operations = [
        migrations.AddField("message", "lease_until", models.DateTimeField(blank=True, null=True)),
    ]
