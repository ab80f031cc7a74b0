from django.db import migrations, models


def named(old, new):
    def rename(apps, schema_editor):
        apps.get_model("annotation", "ProblemReport").objects.filter(state=old).update(state=new)

    return rename


KINDS = {
    "gather_dataset": "create_results_dataset",
    "import_judgments": "import_responses",
    "rehearse_batch": "dry_run_batch",
    "top_up_batch": "add_assignments",
}


def rename_jobs(apps, schema_editor):
    for old, new in KINDS.items():
        apps.get_model("annotation", "Job").objects.filter(kind=old).update(kind=new)


def restore_jobs(apps, schema_editor):
    for old, new in KINDS.items():
        apps.get_model("annotation", "Job").objects.filter(kind=new).update(kind=old)


class Migration(migrations.Migration):
    """States of problem reports and kinds of jobs as docs/glossary.md calls them."""

    dependencies = [("annotation", "0045_plain_names")]

    operations = [
        migrations.RemoveConstraint(
            model_name="problemreport",
            name="flag_state_known",
        ),
        migrations.AlterField(
            model_name="problemreport",
            name="state",
            field=models.CharField(
                choices=[("open", "Open"), ("kept", "Kept"), ("excluded", "Excluded")], default="open", max_length=8
            ),
        ),
        migrations.RunPython(named("voided", "excluded"), named("excluded", "voided")),
        migrations.RunPython(rename_jobs, restore_jobs),
        migrations.AddConstraint(
            model_name="problemreport",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "kept", "excluded"])), name="flag_state_known"
            ),
        ),
    ]
