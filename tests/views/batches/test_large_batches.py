"""Pages of batches with very many HITs: what sums over all responses is kept for some minutes."""

from pathlib import Path

import pytest
from django.test import Client

from annotation.flow.batches import kept_figures
from annotation.models import Project, User
from tests.flow.acting import dataset_of, launched, newcomer, submit, take

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("large", "count"), [(2, 0), (3, 1)])
def test_the_counts_of_a_large_batch_are_kept_and_those_of_others_are_fresh(
    client: Client,
    alice: User,
    project: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    count: int,
) -> None:
    monkeypatch.setattr(kept_figures, "LARGE", large)
    batch = launched(project, "many", dataset_of(project, tmp_path, name="two", size=2))
    client.force_login(alice)
    page = f"/projects/{project.slug}/batches/many/"
    assert client.get(page).context["counts"].submitted == 0
    assignment = take(newcomer(project, "worker"), batch)
    assert assignment is not None
    submit(assignment)
    later = client.get(page)
    assert later.context["counts"].submitted == count
    assert ("may be up to five minutes old" in later.content.decode()) == (count == 0)
    assert client.get(f"{page}assignments/").context["page"].paginator.count == count
