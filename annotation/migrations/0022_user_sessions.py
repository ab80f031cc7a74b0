"""Whose a session is, and a kind of notices: a password set by a link."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


def nothing(apps, schema_editor):
    """What is there fits."""


def forget_passwords(apps, schema_editor):
    """Delete the notices that the constraint of the release before refuses."""
    apps.get_model("annotation", "Notice").objects.filter(kind="password").delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_name_key"), ("sessions", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="sessions_ended",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name="UserSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("browser", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                (
                    "session",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="of_user",
                        to="sessions.session",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("work", "new work for you"),
                    ("finished", "a batch is finished"),
                    ("stalled", "a batch has stalled"),
                    ("failed", "an import, a launch or another job failed"),
                    ("money", "the budget is running out"),
                    ("comment", "somebody mentions you in a comment"),
                    ("password", "a new password by a link"),
                ],
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint(model_name="notice", name="notice_kind_known"),
        migrations.RunPython(nothing, forget_passwords),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=Q(kind__in=["work", "finished", "stalled", "failed", "money", "comment", "password"]),
                name="notice_kind_known",
            ),
        ),
    ]
