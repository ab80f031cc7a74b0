from django.db import migrations, models

from annotation.operations.online_indexes import AddIndexWhileServing


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("annotation", "0034_letter_lease"),
    ]

    operations = [
        AddIndexWhileServing(
            model_name="seat",
            index=models.Index(fields=["batch", "worked_at", "worker", "done"], name="seat_progress"),
        ),
    ]
