"""An index of the HITs with a named cause of disagreement."""

from django.db import migrations, models

from annotation.operations.online_indexes import AddIndexWhileServing


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0014_cause_of_disagreement")]

    operations = [
        AddIndexWhileServing(
            model_name="hit",
            index=models.Index(fields=["batch", "cause"], name="hit_by_cause", condition=~models.Q(cause="")),
        ),
    ]
