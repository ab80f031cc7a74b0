import django.db.models.deletion
from django.db import migrations, models

ERASED = "EXISTS (SELECT 1 FROM annotation_erasure WHERE project_id = OLD.project_id)"
MOVED = "id, project_id, source_id, target_id, amount, kind, key, created_at"  # all but notes, and who or what it is of

SQLITE = [
    f"""CREATE TRIGGER log_stays BEFORE DELETE ON annotation_auditentry WHEN NOT {ERASED}
BEGIN SELECT RAISE(ABORT, 'a line of the log cannot be removed'); END""",
    f"""CREATE TRIGGER ledger_only_added BEFORE UPDATE OF {MOVED} ON annotation_entry
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be changed'); END""",
    f"""CREATE TRIGGER ledger_keeps_notes BEFORE UPDATE OF note ON annotation_entry WHEN NOT {ERASED}
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be changed'); END""",
    """CREATE TRIGGER ledger_stays BEFORE DELETE ON annotation_entry
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be removed'); END""",
    """CREATE TRIGGER answers_only_added BEFORE UPDATE ON annotation_answer
BEGIN SELECT RAISE(ABORT, 'an answer cannot be changed'); END""",
]

# {trigger: (when, table, for each, what it refuses)}; `refused_unless_erased` lets the rows of an erased project go
POSTGRESQL_TRIGGERS = {
    "log_stays": ("DELETE", "auditentry", "ROW", "refused_unless_erased('a line of the log cannot be removed')"),
    "log_not_emptied": ("TRUNCATE", "auditentry", "STATEMENT", "refused('a line of the log cannot be removed')"),
    "ledger_only_added": (f"UPDATE OF {MOVED}", "entry", "ROW", "refused('a row of the ledger cannot be changed')"),
    "ledger_keeps_notes": (
        "UPDATE OF note",
        "entry",
        "ROW",
        "refused_unless_erased('a row of the ledger cannot be changed')",
    ),
    "ledger_stays": ("DELETE", "entry", "ROW", "refused('a row of the ledger cannot be removed')"),
    "ledger_not_emptied": ("TRUNCATE", "entry", "STATEMENT", "refused('a row of the ledger cannot be removed')"),
    "answers_only_added": ("UPDATE", "answer", "ROW", "refused('an answer cannot be changed')"),
}
POSTGRESQL = [
    """CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$""",
    f"""CREATE FUNCTION refused_unless_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT {ERASED} THEN RAISE EXCEPTION '%', TG_ARGV[0]; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$""",
    *(
        f"CREATE TRIGGER {name} BEFORE {when} ON annotation_{table} FOR EACH {each} EXECUTE FUNCTION {act}"
        for name, (when, table, each, act) in POSTGRESQL_TRIGGERS.items()
    ),
]


def keep(apps, schema_editor):
    """(A later migration that makes one of these tables anew on SQLite must make its triggers again.)"""
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


def let_go(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name, (_when, table, _each, _act) in POSTGRESQL_TRIGGERS.items():
            schema_editor.execute(f"DROP TRIGGER {name} ON annotation_{table}")
        schema_editor.execute("DROP FUNCTION refused(); DROP FUNCTION refused_unless_erased()")
        return
    for statement in SQLITE:
        schema_editor.execute(f"DROP TRIGGER {statement.split()[2]}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_notices_by_mail"),
    ]

    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rows", models.PositiveBigIntegerField(default=0)),
                ("begun_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="erasure", to="annotation.project"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended_at", None)), fields=["begun_at"], name="erasure_under_way"
                    )
                ],
            },
        ),
        migrations.RunPython(keep, let_go),
    ]
