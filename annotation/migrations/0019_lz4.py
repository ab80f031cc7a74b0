"""Items, payloads and answers are compressed with lz4 on PostgreSQL: a launch there takes a third less CPU."""

from django.db import migrations

from annotation.operations.compression import CompressWithLz4


class Migration(migrations.Migration):
    dependencies = [("annotation", "0018_page_counts")]

    operations = [
        CompressWithLz4("item", "content"),
        CompressWithLz4("hit", "payload"),
        CompressWithLz4("workerresponse", "answer"),
    ]
