"""What a model was shown for its predictions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_hit_by_cause")]

    operations = [
        migrations.AddField(
            model_name="predictionset",
            name="shown",
            field=models.CharField(
                blank=True,
                choices=[
                    ("question", "question"),
                    ("one_paragraph", "one_paragraph"),
                    ("closed_book", "closed_book"),
                ],
                db_default="",
                default="",
                max_length=20,
            ),
        ),
        migrations.RemoveConstraint(model_name="predictionset", name="prediction_set_once"),
        migrations.AddConstraint(
            model_name="predictionset",
            constraint=models.UniqueConstraint(
                fields=("dataset", "model", "shown"), name="prediction_set_once_shown"
            ),
        ),
    ]
