"""What commands say of themselves."""

from __future__ import annotations

from dataclasses import fields

import pytest

from annotation.derivations import DERIVATIONS
from tests.management.conftest import Run


@pytest.mark.parametrize("how", sorted(DERIVATIONS))
def test_the_help_of_a_derivation_lists_its_options(run: Run, how: str) -> None:
    ended = run("derive_dataset", "--how", how, "--help")
    assert (ended.code, ended.err) == (0, "")
    for option in fields(DERIVATIONS[how].Options):
        assert f"  {option.name} (default: " in ended.out
        assert all(f"{value}: " in " ".join(ended.out.split()) for value in option.metadata.get("choices", ()))
    assert "%(" not in ended.out


def test_the_help_without_a_derivation_lists_none_of_their_options(run: Run) -> None:
    ended = run("derive_dataset", "--help")
    assert (ended.code, "--how" in ended.out, "(default: 20)" in ended.out) == (0, True, False)
