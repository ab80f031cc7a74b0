# What is done about listings once: events of time, review policies as intentions; keys that sign events.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0014_marketplace_patience"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="key",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to="annotation.accesskey"
            ),
        ),
        migrations.AddField(
            model_name="listing",
            name="expiry_noticed",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="listing",
            name="reviewable_noticed",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="notificationsetting",
            name="key",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to="annotation.accesskey"
            ),
        ),
        migrations.AddField(
            model_name="policyoutcome",
            name="done_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="policyoutcome",
            name="error",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name="policyoutcome",
            name="text",
            field=models.TextField(blank=True),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("state", "due")), fields=["project", "destination", "due_at"], name="event_queue"
            ),
        ),
        migrations.AddIndex(
            model_name="policyoutcome",
            index=models.Index(condition=models.Q(("status", "INTENDED")), fields=["id"], name="policy_intended"),
        ),
    ]
