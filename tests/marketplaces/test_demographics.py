"""Demographics of a study's participants: uploaded, chosen, shown by groups, and deleted with the participant."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.flow.people import consent, members, worker_erasure
from annotation.flow.reports import batch_scores
from annotation.marketplaces.models import Demographic, PanelStudy, Visit
from annotation.models import Worker
from tests.marketplaces.panel import study_of, visited
from tests.replaying import replayed
from tests.security.world import account

pytestmark = pytest.mark.django_db
HERE = "/projects/wells/batches/visited/marketplace/"
HEADER = "Submission id,Participant id,Started at,Age,Sex,Ethnicity simplified\n"


@pytest.fixture
def study(project: Any, dataset: Any) -> PanelStudy:
    """With p0 to p12, of whom the last returned the visit."""

    def make() -> PanelStudy:
        made = study_of(project, dataset, hits=1, assignments_per_hit=13)
        for number in range(13):
            visited(made, f"p{number}")
        Visit.objects.filter(participant="p12").update(remote_state="returned")
        return made

    return replayed("study of thirteen", make, project, dataset)


def line(number: int, sex: str, ethnicity: str = "White") -> str:
    return f"s{number},p{number},2026-11-20T10:00:00Z,{20 + number},{sex},{ethnicity}\n"


def export() -> str:
    """5 are female, 5 male, one is other; one revoked the consent, one returned, one never came."""
    sexes = ["Female"] * 5 + ["Male"] * 5 + ["Intersexed", "CONSENT_REVOKED", "Female", "Male"]
    return HEADER + "".join(line(number, sex) for number, sex in enumerate(sexes))


def upload(client: Client, text: str | bytes, status: int = 200) -> str:
    content = text if isinstance(text, bytes) else text.encode()
    answer = client.post(f"{HERE}study/demographics-file/", {"file": SimpleUploadedFile("demographics.csv", content)})
    assert answer.status_code == status
    return str(answer.content.decode())


def keep(client: Client, shown: str, *columns: str) -> Any:
    (signed,) = re.findall(r'name="export" value="([^"]*)"', shown)
    return client.post(f"{HERE}study/demographics/", {"export": signed, "columns": columns}, follow=True)


def rows(text: str) -> list[list[str]]:
    """The cells of the tables of demographics."""
    part = text.partition('id="demographics"')[2]
    found = re.findall(r'<th scope="row">(.*?)</th>\s*<td[^>]*>(.*?)</td>\s*<td[^>]*>(.*?)</td>', part, re.S)
    return [list(cells) for cells in found]


def test_columns_are_ticked_joined_and_shown_without_small_groups(requester: Client, study: PanelStudy) -> None:
    batch_scores.score_batch(study.batch)
    shown = upload(requester, export())
    assert "12 participants were found. 2 rows do not belong to a participant" in shown
    offered = re.findall(r'<input type="checkbox" name="columns" value="([^"]*)"([^>]*)>', shown)
    assert [name for name, _rest in offered] == ["Age", "Sex", "Ethnicity simplified"]
    assert not any("checked" in rest for _name, rest in offered)
    assert not Demographic.objects.exists()
    text = keep(requester, shown, "Sex", "Age").content.decode()
    assert "Demographics of 12 participants are kept." in text
    assert set(Demographic.objects.values_list("name", flat=True)) == {"Sex", "Age"}
    assert rows(text) == [["other values", "12", "100"], ["Female", "5", "100"], ["other values", "6", "100"]]
    assert "Intersexed" not in text
    worker = Visit.objects.get(participant="p0").worker
    for page in (f"/projects/wells/batches/visited/workers/{worker.pk}/", "/projects/wells/people/"):
        assert "Female" not in requester.get(page, follow=True).content.decode()


def test_the_report_has_the_tables_and_its_parts_and_files_do_not(requester: Client, study: PanelStudy) -> None:
    there = "/projects/wells/batches/visited/report/"
    batch_scores.score_batch(study.batch)
    assert 'id="demographics"' not in requester.get(there).content.decode()
    keep(requester, upload(requester, export()), "Sex")
    assert 'id="demographics"' not in requester.get(there).content.decode()  # its scores are folded
    requester.post(f"{there}open/")
    text = requester.get(there).content.decode()
    assert rows(text) == [["Female", "5", "100"], ["other values", "6", "100"]]
    assert "Intersexed" not in text
    part = requester.get(there, {"dataset": study.batch.datasets.get().slug}).content.decode()
    assert 'id="demographics"' not in part


def test_columns_that_prolific_is_not_known_to_have_are_left_out_with_a_sentence(
    requester: Client, study: PanelStudy
) -> None:
    study.connection.kind = "prolific"
    study.connection.save()
    known = "Age,Sex,Ethnicity simplified,Language,Country of residence,Nationality,Country of birth,Student status"
    header = f"Submission id,Participant id,Status,Started at,Time taken,Total approvals,{known},Handedness,Shoe size\n"
    lines = [
        f"s{n},p{n},APPROVED,2026-11-20,60,9,30,Male,White,English,Malta,Malta,Malta,Yes,left,4\n" for n in range(6)
    ]
    shown = upload(requester, header + "".join(lines))
    assert "Unknown columns are left out: Handedness, Shoe size." in shown
    offered = re.findall(r'<input type="checkbox" name="columns" value="([^"]*)"', shown)
    assert offered == known.split(",")


def test_a_value_that_few_have_is_merged_with_the_next_smallest(requester: Client, study: PanelStudy) -> None:
    batch_scores.score_batch(study.batch)
    text = keep(requester, upload(requester, export()), "Sex").content.decode()
    assert rows(text) == [["Female", "5", "100"], ["other values", "6", "100"]]
    same = HEADER + "".join(line(number, "Female") for number in range(4))
    text = keep(requester, upload(requester, same), "Sex").content.decode()
    assert rows(text) == [["other values", "fewer than 5", "–"]]
    assert Demographic.objects.count() == 4


def test_participants_who_withdraw_or_are_erased_take_theirs_with_them(requester: Client, study: PanelStudy) -> None:
    keep(requester, upload(requester, export()), "Sex", "Ethnicity simplified")
    first, second = (Visit.objects.get(participant=name).worker for name in ("p0", "p1"))
    assert consent.withdraw(first)
    assert not first.demographics.exists()
    Visit.objects.filter(participant="p1").update(state="ended", outcome="no_consent")
    assert second.demographics.count() == 2
    assert worker_erasure.erase_worker(second)
    assert not Demographic.objects.filter(worker__in=[first, second]).exists()
    text = keep(requester, upload(requester, export()), "Sex").content.decode()
    assert "Demographics of 9 participants are kept." in text
    assert set(Worker.objects.filter(demographics__isnull=False)) & {first, second} == set()
    assert requester.post(f"{HERE}study/demographics-delete/").status_code == 303
    assert not Demographic.objects.exists()


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        (b"", "empty"),
        (b"PK\x03\x04\0\0", "damaged ZIP archive"),
        (b"Participant id,Sex\n" + b"x" * 1_000_000, "larger than 1 MB"),
        ("Participant,Sex\np0,Male\n", "no column “Participant id”"),
        ("Participant id,Sex,Sex\np0,Male,Male\n", "the same name"),
        ("Participant id,Sex\np0,Male,30\n", "Row 2 has 3 cells"),
        ('Participant id,Sex\np0,"Male\n', "Row 2 cannot be read"),
        ("Participant id,Sex\nnobody,Male\n", "No participant of the file"),
        ("Participant id,Started at\np0,today\n", "no column that can be kept"),
    ],
)
def test_what_is_wrong_with_a_file_stands_beside_it(
    requester: Client, project: Any, dataset: Any, file: str | bytes, problem: str
) -> None:
    visited(study_of(project, dataset), "p0")
    text = upload(requester, file, status=422)
    assert problem in text.partition('id="control-file"')[2].partition("</form>")[0]


def test_nothing_is_kept_without_a_tick_or_from_forged_values(requester: Client, study: PanelStudy) -> None:
    shown = upload(requester, "\ufeff" + export())
    none = keep(requester, shown)
    assert (none.status_code, "This field is required" in none.content.decode()) == (422, True)
    assert keep(requester, shown, "Started at").status_code == 422
    forged = requester.post(f"{HERE}study/demographics/", {"export": "x:y:z", "columns": "Sex"}, follow=True)
    assert "Upload the file again" in forged.content.decode()
    assert not Demographic.objects.exists()


def test_a_reviewer_sees_the_groups_and_changes_nothing(requester: Client, study: PanelStudy) -> None:
    keep(requester, upload(requester, export()), "Sex")
    clerk, reviewer = account("clerk"), Client()
    members.add_member(study.batch.project, clerk, "reviewer")
    reviewer.force_login(clerk)
    text = reviewer.get(HERE).content.decode()
    assert rows(text)[0][:2] == ["Female", "5"]
    assert "demographics-file" not in text
    for act in ("demographics-file", "demographics", "demographics-delete"):
        assert reviewer.post(f"{HERE}study/{act}/").status_code in (403, 404)
    assert Demographic.objects.exists()
