"""Requesters' comments on items, HITs and responses, and notices of those that mention somebody."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


def foreign_key(to, *, null=False):
    """A foreign key of a comment."""
    more = {"blank": True, "null": True} if null else {}
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="comments", to=to, **more)


def nothing(apps, schema_editor):
    """What is there fits."""


def forget_mentions(apps, schema_editor):
    """Delete the notices that the constraint of the release before refuses."""
    apps.get_model("annotation", "Notice").objects.filter(kind="comment").delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_two_adjudicators")]

    operations = [
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("project", foreign_key("annotation.project")),
                ("item", foreign_key("annotation.item")),
                ("hit", foreign_key("annotation.hit", null=True)),
                ("assignment", foreign_key("annotation.assignment", null=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("text", models.TextField(max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
                    models.CheckConstraint(
                        condition=Q(assignment__isnull=True) | Q(hit__isnull=False),
                        name="comment_on_response_has_hit",
                    ),
                ],
                "indexes": [models.Index(fields=["project", "id"], name="comment_in_order")],
            },
        ),
        migrations.AddField(
            model_name="notice",
            name="comment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="annotation.comment",
            ),
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
                ],
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint(model_name="notice", name="notice_kind_known"),
        migrations.RunPython(nothing, forget_mentions),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=Q(kind__in=["work", "finished", "stalled", "failed", "money", "comment"]),
                name="notice_kind_known",
            ),
        ),
    ]
