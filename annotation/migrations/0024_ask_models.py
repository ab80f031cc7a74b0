"""Whether items may be sent to models."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0023_model_predictions'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='ask_models',
            field=models.BooleanField(db_default=True, default=True, verbose_name='items may be sent to models'),
        ),
    ]
