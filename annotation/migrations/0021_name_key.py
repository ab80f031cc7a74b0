"""One rule for names of accounts on both databases: they are compared by their folded form."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_experiments")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="name_key",
            field=models.CharField(editable=False, max_length=500, null=True, unique=True),
        ),
        migrations.AlterModelManagers("user", []),
    ]
