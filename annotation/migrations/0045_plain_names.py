import django.db.models.deletion
from django.db import migrations, models

TABLES = {
    "seat": "participation",
    "flag": "problemreport",
    "guide": "instructions",
    "round": "qualificationround",
    "draw": "reviewsample",
    "drawn": "sampledassignment",
    "collection": "responseimport",
    "answer": "workerresponse",
    "given": "reservedhit",
    "batchnews": "batchactivity",
}
COLUMNS = [  # (table under its new name, column, its new name)
    ("participation", "guide_version", "instructions_version"),
    ("assignment", "guide_version", "instructions_version"),
    ("assignment", "collection_id", "response_import_id"),
    ("workerresponse", "guide_version", "instructions_version"),
    ("hit", "voided_at", "excluded_at"),
    ("hit", "void_reason", "exclusion_reason"),
    ("batch", "gives", "has_reserved_hits"),
    ("dataset", "retired_at", "archived_at"),
    ("item", "retired_at", "archived_at"),
    ("item", "retired_reason", "archive_reason"),
    ("qualificationround", "judgment", "grading"),
    ("sampledassignment", "draw_id", "sample_id"),
    ("notice", "letter", "mail_id"),
    ("batchactivity", "told_at", "announced_at"),
    ("batchactivity", "tenths", "announced_tenths"),
]
T, C = "ALTER TABLE annotation_{} RENAME TO annotation_{}", "ALTER TABLE annotation_{} RENAME COLUMN {} TO {}"
FORWARD = [T.format(old, new) for old, new in TABLES.items()] + [C.format(*names) for names in COLUMNS]
BACKWARD = [C.format(table, new, old) for table, old, new in COLUMNS]
BACKWARD += [T.format(new, old) for old, new in TABLES.items()]


class Migration(migrations.Migration):
    """Models and fields under the names of docs/glossary.md; only names change, and all of it is reversible.

    The database renames in place, with every index, trigger and reference; Django would rebuild SQLite's tables.
    """

    dependencies = [("annotation", "0044_labels")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(FORWARD, BACKWARD)],
            state_operations=[
                migrations.RemoveIndex("hit", "hit_queue"),
                migrations.RemoveIndex("hit", "hit_progress"),
                migrations.RemoveIndex("item", "item_usable"),
                migrations.RemoveIndex("notice", "notice_letter"),
                migrations.RemoveConstraint("drawn", "drawn_position_once"),
                migrations.RenameModel("Seat", "Participation"),
                migrations.RenameModel("Flag", "ProblemReport"),
                migrations.RenameModel("Guide", "Instructions"),
                migrations.RenameModel("Round", "QualificationRound"),
                migrations.RenameModel("Draw", "ReviewSample"),
                migrations.RenameModel("Drawn", "SampledAssignment"),
                migrations.RenameModel("Collection", "ResponseImport"),
                migrations.RenameModel("Answer", "WorkerResponse"),
                migrations.RenameModel("Given", "ReservedHit"),
                migrations.RenameModel("BatchNews", "BatchActivity"),
                migrations.RenameField("participation", "guide_version", "instructions_version"),
                migrations.RenameField("assignment", "guide_version", "instructions_version"),
                migrations.RenameField("assignment", "collection", "response_import"),
                migrations.RenameField("workerresponse", "guide_version", "instructions_version"),
                migrations.RenameField("hit", "voided_at", "excluded_at"),
                migrations.RenameField("hit", "void_reason", "exclusion_reason"),
                migrations.RenameField("batch", "gives", "has_reserved_hits"),
                migrations.RenameField("dataset", "retired_at", "archived_at"),
                migrations.RenameField("item", "retired_at", "archived_at"),
                migrations.RenameField("item", "retired_reason", "archive_reason"),
                migrations.RenameField("qualificationround", "judgment", "grading"),
                migrations.RenameField("sampledassignment", "draw", "sample"),
                migrations.RenameField("notice", "letter", "mail_id"),
                migrations.RenameField("batchactivity", "told_at", "announced_at"),
                migrations.RenameField("batchactivity", "tenths", "announced_tenths"),
                migrations.AlterField(
                    model_name="batchactivity",
                    name="batch",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="activity", to="annotation.batch"
                    ),
                ),
                migrations.AlterField(
                    model_name="instructions",
                    name="batch",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="instructions_versions",
                        to="annotation.batch",
                    ),
                ),
                migrations.AlterField(
                    model_name="participation",
                    name="batch",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="annotation.batch",
                    ),
                ),
                migrations.AlterField(
                    model_name="participation",
                    name="worker",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="annotation.worker",
                    ),
                ),
                migrations.AlterField(
                    model_name="problemreport",
                    name="assignment",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="problem_reports",
                        to="annotation.assignment",
                    ),
                ),
                migrations.AlterField(
                    model_name="reservedhit",
                    name="batch",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reservations", to="annotation.batch"
                    ),
                ),
                migrations.AlterField(
                    model_name="reservedhit",
                    name="hit",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reservations", to="annotation.hit"
                    ),
                ),
                migrations.AlterField(
                    model_name="reservedhit",
                    name="worker",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reservations", to="annotation.worker"
                    ),
                ),
                migrations.AlterField(
                    model_name="responseimport",
                    name="batch",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="imports", to="annotation.batch"
                    ),
                ),
                migrations.AlterField(
                    model_name="reviewsample",
                    name="batch",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_samples",
                        to="annotation.batch",
                    ),
                ),
                migrations.AlterField(
                    model_name="sampledassignment",
                    name="assignment",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sampled", to="annotation.assignment"
                    ),
                ),
                migrations.AlterField(
                    model_name="sampledassignment",
                    name="sample",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="annotation.reviewsample",
                    ),
                ),
                migrations.AlterField(
                    model_name="workerresponse",
                    name="assignment",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.assignment",
                    ),
                ),
                migrations.AddIndex(
                    model_name="hit",
                    index=models.Index(
                        condition=models.Q(("excluded_at__isnull", True), ("room__gt", 0)),
                        fields=["batch", "ticket"],
                        name="hit_queue",
                    ),
                ),
                migrations.AddIndex(
                    model_name="hit",
                    index=models.Index(
                        fields=["batch", "excluded_at", "check_item", "wanted", "done", "live"], name="hit_progress"
                    ),
                ),
                migrations.AddIndex(
                    model_name="item",
                    index=models.Index(
                        condition=models.Q(("archived_at__isnull", True), ("superseded_at__isnull", True)),
                        fields=["dataset", "position"],
                        name="item_usable",
                    ),
                ),
                migrations.AddIndex(
                    model_name="notice",
                    index=models.Index(
                        condition=models.Q(("mail_id__isnull", False)), fields=["mail_id"], name="notice_letter"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="sampledassignment",
                    constraint=models.UniqueConstraint(fields=["sample", "position"], name="drawn_position_once"),
                ),
            ],
        ),
    ]
