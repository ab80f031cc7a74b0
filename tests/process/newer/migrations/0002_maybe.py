import os

from django.db import migrations


def maybe(apps, schema_editor):
    if os.environ.get("NEWER_BREAKS"):
        raise ValueError("this release cannot read the old rows")


class Migration(migrations.Migration):
    dependencies = [("newer", "0001_note")]
    operations = [migrations.RunPython(maybe, migrations.RunPython.noop)]
