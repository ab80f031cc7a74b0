"""Stored answers and figures of seeded batches are as they were; a change on purpose writes new digests here."""

from __future__ import annotations

import pytest

from tests.tasks.batch_digests import FEW, figures_digest

DIGESTS = {
    "choose": "131d6026b15150d7",
    "coreference": "3bd64b55aefe926b",
    "sufficiency": "c3c11a917da7430b",
    "solvability": "fa1981e0dcce69ed",
    "cloze": "fc50c0c43132c315",
}


@pytest.mark.soak
@pytest.mark.parametrize("kind", DIGESTS)
def test_batches_are_stored_and_counted_as_before(kind: str) -> None:
    assert figures_digest(kind, FEW) == DIGESTS[kind]
