"""What commands say of themselves."""

from __future__ import annotations

import pytest

from annotation.derivations import DERIVATIONS
from annotation.flow.setting_values import help_text
from annotation.pure.setting_fields import settings_of
from annotation.registry import kinds, task_type
from tests.management.conftest import Run


@pytest.mark.parametrize("how", sorted(DERIVATIONS))
def test_the_help_of_a_derivation_lists_its_options(run: Run, how: str) -> None:
    ended = run("derive_dataset", "--how", how, "--help")
    assert (ended.code, ended.err) == (0, "")
    are_listed(ended.out, DERIVATIONS[how].Options)


@pytest.mark.parametrize("task", [kind for kind, _title in kinds()])
def test_the_help_of_a_task_lists_its_options(run: Run, task: str) -> None:
    for command in ("create_batch", "create_qualification_round"):
        ended = run(command, "--task", task, "--help")
        assert (ended.code, ended.err) == (0, "")
        are_listed(ended.out, task_type(task).Options)


def are_listed(told: str, options: type) -> None:
    for one in settings_of(options).values():
        assert f"  {one.name} (default: " in told
        assert "".join(f"{one.label.rstrip('.:')}. {help_text(one)}".split()) in "".join(told.split())
        assert one.most is None or f"{one.least:,} to {one.most:,}." in " ".join(told.split())
        assert all(f"{value}: " in " ".join(told.split()) for value in one.choices or ())
    assert "%(" not in told


def test_the_help_without_a_derivation_lists_none_of_their_options(run: Run) -> None:
    ended = run("derive_dataset", "--help")
    assert (ended.code, "--how" in ended.out, "(default: 20)" in ended.out) == (0, True, False)
