"""What it takes to add a boolean to the settings of a batch: three files, and each door knows it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import write_records

pytestmark = pytest.mark.process
ROOT = Path(__file__).resolve().parents[2]
PARTS = ("annotation", "tasks", "templates", "static")
MODEL, SETTINGS = "annotation/models/batch.py", "annotation/flow/batches/settings.py"
MIGRATION = "annotation/migrations/{number:04}_shows_source.py"
COLUMN = "    shows_source = models.BooleanField(default=False, db_default=False)\n"
SETTING = """\
    shows_source: bool = setting(
        False, label=_("Show where an item comes from"), help=_("Below the paragraphs."), group="pages", registered=True
    )
"""
ASKED = """
from pathlib import Path
from django.conf import settings
from django.core.management import call_command, load_command_class
from django.urls import reverse
from django.test import Client
from annotation.api.batches.serializers import NewDraftInput
from annotation.api.batches.serializers import OneBatchSerializer
from annotation.flow.batches import add_items, batch_drafts
from annotation.flow.batches.parsing import parse
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import preregistration
from annotation.models import Batch, Dataset, Member, Project, User

settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
call_command("migrate", verbosity=0)
alice = User.objects.create_user("alice", password="a pass phrase")
project = Project.objects.create(slug="wells", title="Wells")
Member.objects.create(project=project, user=alice, role="owner")
import_dataset(project, Path("wells.jsonl"), format="jsonl", name="wells")
asked = {"title": "T", "task": "answer", "datasets": ["wells"], "shows_source": True}
batch = batch_drafts.create_batch(project, parse(project, asked))
client = Client(SERVER_NAME="localhost")
client.force_login(alice)
page = client.get(reverse("batch-new", args=["wells"])).content.decode()
command = load_command_class("annotation", "create_batch").create_parser("manage.py", "create_batch").format_help()
schema = NewDraftInput().fields["shows_source"]
print("stored", batch.shows_source)
print("page", 'name="shows_source"' in page and "Show where an item comes from" in page)
print("api", OneBatchSerializer().fields["shows_source"].help_text)
print("schema", schema.help_text)
print("command", "--shows-source" in command)
print("preregistration", preregistration.settings_of(batch)["shows_source"])
print("clone", add_items.clone(batch).shows_source)
"""


def test_a_boolean_of_a_batch_takes_three_files(tmp_path: Path) -> None:
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    last = max(path.stem for path in (ROOT / "annotation/migrations").glob("0*.py"))
    model = tmp_path / MODEL
    model.write_text(re.sub(r"(    counts_pasting = .*\n)", rf"\1{COLUMN}", model.read_text(), count=1))
    settings = tmp_path / SETTINGS
    settings.write_text(re.sub(r"(    paid: bool = )", rf"{SETTING}\1", settings.read_text(), count=1))
    migration = tmp_path / MIGRATION.format(number=int(last[:4]) + 1)
    migration.write_text(
        "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n"
        f'    dependencies = [("annotation", "{last}")]\n'
        '    operations = [migrations.AddField("batch", "shows_source",'
        " models.BooleanField(default=False, db_default=False))]\n"
    )
    write_records(tmp_path / "wells.jsonl")
    (tmp_path / "asked.py").write_text(ASKED)
    environment = {"DJANGO_SETTINGS_MODULE": "annotation.settings", "HOPSCRIBE_VAR": str(tmp_path / "var")}
    done = subprocess.run(
        [sys.executable, "-c", "import django; django.setup(); exec(open('asked.py').read())"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    words = "Show where an item comes from. Below the paragraphs."
    assert done.stdout.splitlines() == [
        "stored True",
        "page True",
        f"api {words}",
        f"schema {words}",
        "command True",
        "preregistration True",
        "clone True",
    ]
