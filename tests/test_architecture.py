"""The rules of docs/architecture.md hold in this repository, and each rule finds what it is there to find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests import architecture, clocks, locking

ROOT = Path(__file__).resolve().parent.parent
Rule = Callable[[Path], Iterator[str]]
RULES: list[Rule] = [*architecture.RULES, clocks.other_clocks, locking.locks_of_others]
SEATS = "Seat.objects.select_for_update(no_key=True)"


def test_the_house_keeps_its_rules() -> None:
    """All in one test, since each process that asks for some of them has to read all files."""
    violations = sorted({f"{rule.__name__}: {said}" for rule in RULES for said in rule(ROOT)})
    architecture.forget()
    assert not violations, "\n" + "\n".join(violations)


PLANTED: list[tuple[Rule, str, str]] = [
    (architecture.forbidden_imports, "annotation/pure/dag.py", "from django.db import models"),
    (architecture.forbidden_imports, "annotation/pure/dag.py", "from annotation.models import Batch"),
    (architecture.forbidden_imports, "annotation/pure/dag.py", "import time"),
    (architecture.forbidden_imports, "annotation/formats/csv.py", "def read():\n    import celery"),
    (architecture.forbidden_imports, "annotation/scorers/squad.py", "from annotation import flow"),
    (architecture.forbidden_imports, "annotation/flow/assigning.py", "from django.http import Http404"),
    (architecture.forbidden_imports, "annotation/flow/assigning.py", "from annotation.views import frame"),
    (architecture.forbidden_imports, "annotation/models/batch.py", "from annotation.flow import assigning"),
    (architecture.forbidden_imports, "annotation/models/batch.py", "from ..flow import assigning"),
    (architecture.forbidden_imports, "annotation/tasktype.py", "from annotation.registry import task_type"),
    (architecture.forbidden_imports, "tasks/answer/task.py", "from django import forms"),
    (architecture.forbidden_imports, "tasks/answer/task.py", "from annotation.models import Hit"),
    (architecture.forbidden_imports, "tasks/answer/form.py", "from django.db import models"),
    (architecture.homeless_imports, "annotation/flow/settling.py", "import boto3"),
    (architecture.homeless_imports, "annotation/views/worker.py", "from rapidfuzz import fuzz"),
    (architecture.homeless_imports, "annotation/views/worker.py", "import tasks.answer.task"),
    (architecture.meeting_tasks, "tasks/answer/task.py", "from tasks.compose.task import TASK"),
    (architecture.global_chance, "annotation/pure/splitting.py", "import random\nrandom.shuffle([])"),
    (architecture.global_chance, "tasks/answer/task.py", "from random import shuffle"),
    (architecture.assigned_states, "annotation/flow/publishing.py", "batch.state = 'open'"),
    (clocks.other_clocks, "annotation/flow/publishing.py", "end = timezone.now() + LEASE"),
    (clocks.other_clocks, "annotation/models/batch.py", "due_at = models.DateTimeField(default=timezone.now)"),
    (clocks.other_clocks, "annotation/models/batch.py", "made_at = models.DateTimeField(auto_now_add=True)"),
    (clocks.other_clocks, "annotation/views/frame.py", "left = until - time.time()"),
    (architecture.long_files, "annotation/flow/publishing.py", "\n" * 400),
    (architecture.long_functions, "tests/test_long.py", "def long():\n" + "    pass\n" * 60),
    (architecture.dangerous_templates, "templates/a.html", "<script>alert(1)</script>"),
    (architecture.dangerous_templates, "templates/a.html", '<p class="a"\n style="color: red">'),
    (architecture.dangerous_templates, "tasks/answer/page.html", '<a onclick="go()">'),
    (architecture.dangerous_templates, "templates/a.html", "{{ question|safe }}"),
    (architecture.dangerous_templates, "templates/a.html", "{% autoescape off %}"),
    (architecture.dangerous_templates, "templates/a.html", '<link href="//cdn.example/a.css">'),
    (architecture.dangerous_templates, "templates/a.html", "<p>\n" * 200),
    (architecture.dangerous_scripts, "static/js/a.js", "box.innerHTML = text;"),
    (architecture.dangerous_scripts, "static/js/a.js", 'setTimeout("go()", 5);'),
    (architecture.unlisted_safety, "annotation/views/hit.py", "from x import mark_safe\nmark_safe('a')"),
    (locking.locks_of_others, "annotation/flow/a.py", f"rows = {SEATS}.filter(batch__hit_type__isnull=False)"),
    (locking.locks_of_others, "annotation/flow/a.py", f"list({SEATS}.filter(Q(batch__state='open')).order_by('pk'))"),
    (locking.locks_of_others, "annotation/flow/a.py", f"for row in {SEATS}.order_by('worker__name'):\n    pass"),
    (
        locking.locks_of_others,
        "annotation/flow/a.py",
        f"def a():\n    return {SEATS}.select_related('batch').get(pk=1)",
    ),
]


@pytest.mark.parametrize(("rule", "path", "text"), PLANTED)
def test_a_planted_violation_is_named(rule: Rule, path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert any(violation.startswith(f"{path}:") for violation in rule(tmp_path))


def test_a_circle_of_imports_is_named(tmp_path: Path) -> None:
    (tmp_path / "annotation").mkdir()
    (tmp_path / "annotation/one.py").write_text("from annotation import two")
    (tmp_path / "annotation/two.py").write_text("import annotation.one")
    assert list(architecture.circles(tmp_path)) == [
        "a circle of imports: annotation.one → annotation.two → annotation.one"
    ]


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (architecture.forbidden_imports, "annotation/flow/assigning.py", "from django.db import transaction"),
        (architecture.forbidden_imports, "tasks/answer/form.py", "from django import forms"),
        (architecture.forbidden_imports, "tasks/answer/task.py", "from tasks.answer.report import said"),
        (architecture.global_chance, "tasks/answer/task.py", "from random import Random"),
        (architecture.global_chance, "annotation/pure/a.py", "import random\nrandom.Random(1)"),
        (architecture.assigned_states, "annotation/models/a.py", "def move(self, to):\n    self.state = to"),
        (clocks.other_clocks, "annotation/flow/a.py", "now = clock.now()\nbegan = time.monotonic()"),
        (architecture.dangerous_templates, "templates/a.html", '{# <script> #}<script src="/a.js"></script>'),
        (architecture.dangerous_scripts, "static/js/a.js", "box.textContent = text;"),
        (
            locking.locks_of_others,
            "annotation/flow/a.py",
            f"rows = {SEATS}.filter(worker__in=[1], batch__isnull=False)",
        ),
        (
            locking.locks_of_others,
            "annotation/flow/a.py",
            "rows = Seat.objects.select_for_update(of=('self',), no_key=True).filter(batch__state='open')",
        ),
    ],
)
def test_what_is_allowed_is_not_named(rule: Rule, path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert list(rule(tmp_path)) == []


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say() -> None:
    told = StringIO()
    call_command("makemigrations", check=True, dry_run=True, stdout=told, stderr=told)


def test_migrations_import_no_live_code() -> None:
    for file in (ROOT / "annotation/migrations").glob("0*.py"):
        names = [
            line for line in file.read_text().splitlines() if line.startswith(("from annotation", "import annotation"))
        ]
        allowed = {
            "import annotation.models.fields",
            "import annotation.models.project",
            "import annotation.models.assignment",
            "import annotation.models.publication",
            "import annotation.models.sealed",
            "from annotation.schema import AddIndexWhileServing",
        }
        assert set(names) <= allowed, file.name


def test_rows_are_locked_so_that_others_may_name_them() -> None:
    """A commit looks at the foreign keys of what it adds: it must not wait for a row that waits for its accounts."""
    greedy = re.compile(r"select_for_update\((?!(of=\([^()]*\), )?no_key=True\))")
    files = sorted((ROOT / "annotation").rglob("*.py"))
    assert [file.name for file in files if greedy.search(file.read_text())] == []
    assert greedy.search('rows.select_for_update(of=("self",))')
