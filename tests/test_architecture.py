"""The rules of docs/architecture.md hold in this repository, and each rule finds what it is there to find."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests import architecture, clocks, locking, task_folders, template_rules

ROOT = Path(__file__).resolve().parent.parent
Rule = Callable[[Path], Iterator[str]]
RULES: list[Rule] = [
    *architecture.RULES,
    *template_rules.RULES,
    clocks.other_clocks,
    clocks.timed_tests,
    locking.locks_of_others,
    task_folders.named_folders,
]
PARTICIPATIONS = "Participation.objects.select_for_update(no_key=True)"


def test_the_house_keeps_its_rules() -> None:
    """All in one test, since each process that asks for some of them has to read all files."""
    gc.disable()  # syntax trees are many small objects, none of them waste: twice as fast
    violations = sorted({f"{rule.__name__}: {said}" for rule in RULES for said in rule(ROOT)})
    gc.enable()
    architecture.forget()
    assert not violations, "\n" + "\n".join(violations)


PLANTED: list[tuple[Rule, str, str]] = [
    (architecture.forbidden_imports, "annotation/pure/data/dag.py", "from django.db import models"),
    (architecture.forbidden_imports, "annotation/pure/data/dag.py", "from annotation.models import Batch"),
    (architecture.forbidden_imports, "annotation/pure/data/dag.py", "import time"),
    (architecture.forbidden_imports, "annotation/formats/csv.py", "def read():\n    import celery"),
    (architecture.forbidden_imports, "annotation/scorers/squad.py", "from annotation import flow"),
    (architecture.forbidden_imports, "annotation/flow/work/next_assignment.py", "from django.http import Http404"),
    (architecture.forbidden_imports, "annotation/flow/work/next_assignment.py", "from annotation.views import frame"),
    (architecture.forbidden_imports, "annotation/models/batch.py", "from annotation.flow import assigning"),
    (architecture.forbidden_imports, "annotation/models/batch.py", "from ..flow import assigning"),
    (architecture.forbidden_imports, "annotation/tasktype/a.py", "from annotation.registry import task_type"),
    (architecture.forbidden_imports, "tasks/answer/task.py", "from django import forms"),
    (architecture.forbidden_imports, "tasks/answer/task.py", "from annotation.models import Hit"),
    (architecture.forbidden_imports, "tasks/answer/form.py", "from django.db import models"),
    (architecture.imported_apps, "annotation/flow/work/submissions.py", "from annotation.webhooks import outbox"),
    (
        architecture.imported_apps,
        "annotation/webhooks/a.py",
        "def a():\n    import annotation.marketplaces.flow.visits",
    ),
    (architecture.crossing_subjects, "annotation/flow/data/a.py", "from annotation.flow.review import adjudication"),
    (architecture.crossing_subjects, "annotation/flow/money/a.py", "from annotation.flow.people.members import admit"),
    (architecture.crossing_subjects, "annotation/views/strays/a.py", ""),
    (architecture.homeless_imports, "annotation/flow/settling.py", "import boto3"),
    (architecture.homeless_imports, "annotation/views/work/assignment_page.py", "from rapidfuzz import fuzz"),
    (architecture.homeless_imports, "annotation/views/work/assignment_page.py", "import tasks.answer.task"),
    (task_folders.named_folders, "tasks/answer/task.py", "from tasks.compose.task import TASK"),
    (task_folders.named_folders, "tasks/answer/task.py", "from tasks.answer.report import said"),
    (task_folders.named_folders, "tasks/answer/task.py", "from ..compose.task import TASK"),
    (task_folders.named_folders, "tasks/answer/page.html", '{% include "answer/_said.html" with kind=1 %}'),
    (architecture.global_chance, "annotation/pure/derivations/dataset_splits.py", "import random\nrandom.shuffle([])"),
    (architecture.global_chance, "tasks/answer/task.py", "from random import shuffle"),
    (architecture.assigned_states, "annotation/flow/publishing.py", "batch.state = 'open'"),
    (clocks.other_clocks, "annotation/flow/publishing.py", "end = timezone.now() + LEASE"),
    (clocks.other_clocks, "annotation/models/batch.py", "due_at = models.DateTimeField(default=timezone.now)"),
    (clocks.other_clocks, "annotation/models/batch.py", "made_at = models.DateTimeField(auto_now_add=True)"),
    (clocks.other_clocks, "annotation/views/work/task_frame.py", "left = until - time.time()"),
    (clocks.timed_tests, "tests/flow/test_a.py", "time.sleep(0.1)"),
    (clocks.timed_tests, "tests/browser/test_a.py", "    page.wait_for_timeout(300)"),
    (clocks.timed_tests, "tests/pure/test_a.py", "assert time.process_time() - began < 2"),
    (architecture.long_files, "annotation/flow/publishing.py", "\n" * 500),
    (architecture.long_functions, "tests/test_long.py", "def long():\n" + "    pass\n" * 60),
    (template_rules.dangerous_templates, "templates/a.html", "<script>alert(1)</script>"),
    (template_rules.dangerous_templates, "templates/a.html", '<p class="a"\n style="color: red">'),
    (template_rules.dangerous_templates, "tasks/answer/page.html", '<a onclick="go()">'),
    (template_rules.dangerous_templates, "templates/a.html", "{{ question|safe }}"),
    (template_rules.dangerous_templates, "templates/a.html", "{% autoescape off %}"),
    (template_rules.dangerous_templates, "templates/a.html", '<link href="//cdn.example/a.css">'),
    (template_rules.missing_templates, "annotation/views/a.py", 'render(request, "work/none.html", {})'),
    (template_rules.missing_templates, "templates/work/a.html", '{% include "work/_none.html" %}'),
    (template_rules.spelled_dates, "templates/a.html", '{{ row.created_at|date:"j M Y, H:i" }}'),
    (template_rules.wide_templates, "templates/a.html", "<p>" + "wide " * 24 + "</p>"),
    (template_rules.stale_comments, "templates/a.html", "{# Context: plan (flow.drafting.Plan). #}"),
    (template_rules.dangerous_scripts, "static/js/a.js", "box.innerHTML = text;"),
    (template_rules.dangerous_scripts, "tasks/answer/static/page.js", "box.innerHTML = text;"),
    (template_rules.dangerous_scripts, "static/js/a.js", 'setTimeout("go()", 5);'),
    (architecture.unlisted_safety, "annotation/views/hit.py", "from x import mark_safe\nmark_safe('a')"),
    (locking.locks_of_others, "annotation/flow/a.py", f"rows = {PARTICIPATIONS}.filter(batch__hit_type__isnull=False)"),
    (
        locking.locks_of_others,
        "annotation/flow/a.py",
        f"list({PARTICIPATIONS}.filter(Q(batch__state='open')).order_by('pk'))",
    ),
    (
        locking.locks_of_others,
        "annotation/flow/a.py",
        f"for row in {PARTICIPATIONS}.order_by('worker__name'):\n    pass",
    ),
    (
        locking.locks_of_others,
        "annotation/flow/a.py",
        f"def a():\n    return {PARTICIPATIONS}.select_related('batch').get(pk=1)",
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
        (
            architecture.forbidden_imports,
            "annotation/flow/work/next_assignment.py",
            "from django.db import transaction",
        ),
        (architecture.forbidden_imports, "tasks/answer/form.py", "from django import forms"),
        (architecture.crossing_subjects, "annotation/flow/money/a.py", "from annotation.flow.errors import Refused"),
        (architecture.crossing_subjects, "annotation/views/money/a.py", "from annotation.flow.people import members"),
        (architecture.forbidden_imports, "tasks/answer/task.py", "from .report import said"),
        (task_folders.named_folders, "tasks/answer/task.py", "from .report import said"),
        (task_folders.named_folders, "tasks/answer/page.html", '{% include "./_said.html" with kind=1 %}'),
        (architecture.global_chance, "tasks/answer/task.py", "from random import Random"),
        (architecture.global_chance, "annotation/pure/a.py", "import random\nrandom.Random(1)"),
        (architecture.assigned_states, "annotation/models/a.py", "def move(self, to):\n    self.state = to"),
        (clocks.timed_tests, "tests/flow/test_a.py", "time.sleep(0.1)  # a person takes their time"),
        (clocks.other_clocks, "annotation/flow/a.py", "now = clock.now()\nbegan = time.monotonic()"),
        (template_rules.dangerous_templates, "templates/a.html", '{# <script> #}<script src="/a.js"></script>'),
        (template_rules.dangerous_scripts, "static/js/a.js", "box.textContent = text;"),
        (
            locking.locks_of_others,
            "annotation/flow/a.py",
            f"rows = {PARTICIPATIONS}.filter(worker__in=[1], batch__isnull=False)",
        ),
        (
            locking.locks_of_others,
            "annotation/flow/a.py",
            "rows = Participation.objects.select_for_update(of=('self',), no_key=True).filter(batch__state='open')",
        ),
    ],
)
def test_what_is_allowed_is_not_named(rule: Rule, path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert list(rule(tmp_path)) == []


def test_the_documented_table_of_subjects_is_the_one_that_is_checked() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", text, re.M)
    said = [{name: tuple(re.findall(r"`(\w+)`", cells[k])) for name, *cells in rows} for k in (0, 1)]
    assert said == list(architecture.SUBJECTS.values())


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say() -> None:
    result = StringIO()
    call_command("makemigrations", check=True, dry_run=True, stdout=result, stderr=result)


def test_migrations_import_no_live_code() -> None:
    for file in (ROOT / "annotation").rglob("migrations/0*.py"):
        names = [
            line for line in file.read_text().splitlines() if line.startswith(("from annotation", "import annotation"))
        ]
        allowed = {
            "import annotation.models.fields",
            "import annotation.models.project",
            "import annotation.models.assignment",
            "import annotation.marketplaces.models.connections",
            "import annotation.models.sealed",
        }
        operations = "from annotation.operations.migration_operations import "
        others = {line for line in names if not line.startswith(operations)}
        assert others <= allowed, file.name


def test_rows_are_locked_so_that_others_may_name_them() -> None:
    """A commit looks at the foreign keys of what it adds: it must not wait for a row that waits for its accounts."""
    greedy = re.compile(r"select_for_update\((?!(of=\([^()]*\), )?no_key=True(, skip_locked=True)?\))")
    files = sorted((ROOT / "annotation").rglob("*.py"))
    assert [file.name for file in files if greedy.search(file.read_text())] == []
    assert greedy.search('rows.select_for_update(of=("self",))')
