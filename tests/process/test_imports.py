"""What a process loads before it needs it, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "celery", "boto3", "botocore", "cryptography", "pyarrow", "bm25s"}
PAGE = """
import annotation.wsgi
from django.test import Client
assert Client(headers={"host": "localhost"}).get("/healthz").status_code == 200
"""
EVALUATION = """
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "evaluate", "--format=hotpotqa", "--gold=gold.json", "--predictions=told.json"])
"""
HELP = """
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "help"])
"""
ITEM = {"_id": "a", "question": "Who?", "answer": "Bob", "supporting_facts": [["T", 0]], "context": [["T", ["Bob."]]]}


@pytest.mark.parametrize(
    ("code", "heavy"),
    [(PAGE, HEAVY), (EVALUATION, HEAVY), (HELP, {*HEAVY, "annotation.registry", "rapidfuzz"})],
    ids=["page", "evaluate", "help"],
)
def test_a_process_loads_nothing_heavy_that_it_does_not_need(code: str, heavy: set[str], tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps([ITEM]))
    (tmp_path / "told.json").write_text(json.dumps({"answer": {"a": "Bob"}, "sp": {"a": [["T", 0]]}}))
    settings = {"DJANGO_SETTINGS_MODULE": "annotation.settings", "DEBUG": "1", "HOPSCRIBE_VAR": str(tmp_path)}
    environment = os.environ | settings | {"DATABASE_URL": "sqlite://:memory:", "PYTHONPATH": str(Path.cwd())}
    told = "\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + told], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not heavy & {*done.stderr.split()}
