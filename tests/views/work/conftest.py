"""What tests of work pages begin with."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Batch


@pytest.fixture
def page(batch: Batch, bob: Any) -> Client:
    """Bob's browser, with an assignment begun."""
    client = Client()
    client.force_login(bob.user)
    client.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})
    return client
