"""Worker IDs of Mechanical Turk: carried over before anybody comes, and taken over by who had them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.flow.errors import Refused
from annotation.flow.people import mturk_ids, qualification_types, worker_erasure
from annotation.flow.people.bulk_grants import read_file
from annotation.models import Project, User, Worker
from tests.views.console import take

pytestmark = pytest.mark.postgresql(reason="workers are inserted where none is in conflict")

IDS = ["A2SUAM7RRIALLY", "AXYZ123456789", "A1B2C3D4E5F6G7"]


@pytest.fixture
def newcomer(project: Any) -> Any:
    user = User.objects.create_user("nora")
    return Worker.objects.create(project=project, user=user, consented_version=project.consent_version)


def test_ids_become_workers_who_have_not_arrived(project: Any, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "workers.csv"
    file.write_text('\ufeff"Worker ID","HITs"\n' + "".join(f'"{one}",3\n' for one in [*IDS, IDS[0]]))
    call_command("import_worker_ids", str(file), project=project.slug)
    assert "3 worker IDs read, 3 added, 0 known already." in capsys.readouterr().out
    assert mturk_ids.import_ids(project, IDS) == {"read": 3, "added": 0, "known": 3}
    rows = Worker.objects.filter(project=project, user=None)
    assert {worker.public_id for worker in rows} == set(IDS)
    assert all(worker.is_awaited for worker in rows)


def test_two_projects_may_carry_over_the_same_id(project: Any) -> None:
    other = Project.objects.create(slug="springs", title="Springs")
    assert mturk_ids.import_ids(project, IDS)["added"] == mturk_ids.import_ids(other, IDS)["added"] == 3


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["A2SUAM7RRIALLY", "bob", "a2suam7rrially"], "line 2: 'bob'; line 3: 'a2suam7rrially'"),
        ([" "], "contains no worker IDs"),
    ],
)
def test_what_is_no_id_imports_nothing(project: Any, lines: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=said):
        mturk_ids.import_ids(project, lines)
    file = tmp_path / "ids.txt"
    file.write_text("\n".join(lines))
    with pytest.raises(CommandError, match=said):
        call_command("import_worker_ids", str(file), project=project.slug)
    assert not Worker.objects.filter(project=project).exists()


def test_scores_given_to_an_id_are_those_of_who_arrives_with_it(project: Any, newcomer: Any) -> None:
    mturk_ids.import_ids(project, IDS)
    level = qualification_types.create_type(project, "Level", description="")
    [(awaited, score)] = read_file(project, [f"{IDS[0]},80"]).items()
    qualification_types.grant(level, awaited, score, source="file")
    arrived = mturk_ids.claim(newcomer, IDS[0])
    assert (arrived.user.username, arrived.public_id, arrived.is_awaited) == ("nora", IDS[0], False)
    assert arrived.consented
    assert qualification_types.held(arrived)[level.public_id].value == 80
    assert Worker.objects.filter(project=project, user__username="nora").count() == 1


def test_a_block_of_an_id_holds_for_who_arrives_with_it(project: Any, newcomer: Any) -> None:
    mturk_ids.import_ids(project, IDS)
    qualification_types.block(Worker.objects.get(public_id=IDS[1]), "Clicked through.")
    assert mturk_ids.claim(newcomer, IDS[1]).block.reason == "Clicked through."


def test_an_id_is_taken_once_and_only_before_the_first_hit(project: Any, batch: Any, bob: Any, newcomer: Any) -> None:
    mturk_ids.import_ids(project, IDS)
    take(bob, batch)
    with pytest.raises(Refused, match="started to work here"):
        mturk_ids.claim(bob, IDS[0])
    mturk_ids.claim(newcomer, IDS[0])
    late = Worker.objects.create(project=project, user=User.objects.create_user("late"))
    for name in (IDS[0], "ANOBODYKNOWS1"):
        with pytest.raises(Refused, match="does not know this worker ID"):
            mturk_ids.claim(late, name)
    late.refresh_from_db()


def test_a_requester_imports_on_the_page_and_a_worker_names_their_id(
    project: Any, alice: Any, newcomer: Any, client: Any
) -> None:
    client.force_login(newcomer.user)
    details = reverse("my-details", args=[project.slug])
    assert "Mechanical Turk" not in client.get(details).content.decode()
    client.force_login(alice)
    page = reverse("import-mturk-ids", args=[project.slug])
    refused = client.post(page, {"ids": "bob\nA2SUAM7RRIALLY"})
    assert refused.status_code == 422
    assert "line 1" in refused.content.decode()
    assert "A2SUAM7RRIALLY" in refused.content.decode()  # nothing typed is lost
    assert client.post(page, {"ids": "\r\n".join(IDS)}).status_code == 303
    assert "has not joined" in client.get(reverse("people", args=[project.slug])).content.decode()
    client.force_login(newcomer.user)
    assert "Mechanical Turk" in client.get(details).content.decode()
    claim = reverse("claim-mturk-id", args=[project.slug])
    wrong = client.post(claim, {"mturk_id": "AWRONG12345"})
    assert wrong.status_code == 422
    assert "AWRONG12345" in wrong.content.decode()
    assert client.post(claim, {"mturk_id": f" {IDS[2]} "}).status_code == 303
    assert Worker.objects.get(project=project, user=newcomer.user).public_id == IDS[2]


def test_an_id_can_be_erased_before_anybody_comes(project: Any) -> None:
    mturk_ids.import_ids(project, IDS)
    assert worker_erasure.erase_worker(Worker.objects.get(public_id=IDS[0]))
    assert not Worker.objects.filter(public_id=IDS[0]).exists()
