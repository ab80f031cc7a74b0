"""An index for searches in the questions of very many items."""

from django.db import migrations

from annotation.operations.online_indexes import AddTrigramIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0009_kept_figures")]

    operations = [AddTrigramIndex("item", "question", name="item_by_text")]
