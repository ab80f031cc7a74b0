from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0032_letters_by_mail"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat", name="worked_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="collection", name="size", field=models.PositiveIntegerField(db_default=0, default=0)
        ),
    ]
