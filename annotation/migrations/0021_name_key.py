"""One rule for names of accounts on both databases: they are compared by their folded form."""

from typing import Any

from django.db import migrations, models

from annotation.pure.text.folding import fold


def fill(apps: Any, schema_editor: Any) -> None:
    """Of two accounts whose names fold alike, which only a rarer letter's case tells apart, the older gets the key."""
    users = apps.get_model("annotation", "User").objects.using(schema_editor.connection.alias)
    taken: set[str] = set()
    for pk, name in users.order_by("pk").values_list("pk", "username").iterator():
        key = fold(name)
        if key not in taken:
            users.filter(pk=pk).update(name_key=key)
        taken.add(key)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_lz4")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="name_key",
            field=models.CharField(editable=False, max_length=500, null=True, unique=True),
        ),
        migrations.AlterModelManagers("user", []),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
