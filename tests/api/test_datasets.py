"""Datasets over the API, from the upload to the removal that is taken back; derivations, jobs, tokens."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotation import jobs
from annotation.models import ApiToken, AuditEntry, Dataset, Job
from annotation.operations.uploads import KEPT_FOR
from tests.api.ground import PROJECT, Caller, is_problem
from tests.conftest import records, write_records

DATASETS = f"{PROJECT}datasets/"
RAW = {"content_type": "application/octet-stream"}


@pytest.fixture
def caller(alice: Any) -> Caller:
    return Caller(alice)


def ended(caller: Caller, posted: Any) -> dict[str, Any]:
    """The job that a call asked for, once it was done."""
    assert posted.status_code == 202, posted.content
    jobs.run_due_work()
    result: dict[str, Any] = caller.get(posted["Location"]).json()
    assert result["id"] == posted.json()["id"]
    return result


def test_a_file_is_uploaded_as_the_body_or_as_part_of_a_form(caller: Caller, tmp_path: Path) -> None:
    path = write_records(tmp_path / "Dev set.jsonl", 3)
    raw = caller.post(f"{DATASETS}?file_name=Dev+set.jsonl&licence=CC+BY", path.read_bytes(), **RAW)
    job = ended(caller, raw)
    assert (job["state"], job["result"]["accepted"], job["error"]) == ("done", 3, "")
    output = caller.get(f"{DATASETS}dev-set/").json()
    assert (output["size"], output["format"], output["licence"], output["made_of"]) == (3, "jsonl", "CC BY", [])
    assert output["features"]["hops"] == {"2": 3}
    with path.open("rb") as file:
        form = caller.post(DATASETS, {"file": file, "name": "again", "format": "jsonl", "source": ""})
    assert ended(caller, form)["result"]["accepted"] == 3
    assert [row["name"] for row in caller.get(f"{DATASETS}?q=DEV").json()["results"]] == ["dev-set"]
    assert Dataset.objects.get(slug="again").created_by == caller.token.user


def test_a_file_is_checked_first_and_its_good_records_are_taken(caller: Caller, tmp_path: Path) -> None:
    path = write_records(tmp_path / "a.jsonl", 2)
    path.write_text(path.read_text() + '{"id": "bad"}\n')
    refused = ended(caller, caller.post(f"{DATASETS}?name=a&format=jsonl&dry_run=true", path.read_bytes(), **RAW))
    assert (refused["state"], refused["result"]["errors"] > 0) == ("failed", True)
    assert "cannot be stored" in refused["error"]
    assert not Dataset.objects.exists()
    taken = ended(caller, caller.send(f"{PROJECT}jobs/{refused['id']}/import/"))
    assert (taken["state"], taken["result"]["accepted"], taken["result"]["skipped"]) == ("done", 2, 1)
    is_problem(caller.send(f"{PROJECT}jobs/{taken['id']}/again/"), 409)
    is_problem(caller.send(f"{PROJECT}jobs/{taken['id']}/undo/"), 409)
    assert KEPT_FOR == 24 * 3600  # for as long, the documents say, a file waits


@pytest.mark.parametrize(("query", "body", "field"), [
    ("name=a", b"", "file"),
    ("name=new&format=jsonl", b"{}", "name"),
    ("name=a+b&format=jsonl", b"{}", "name"),
    ("format=jsonl", b"{}", "name"),
    ("name=a", b"what is this?", "file"),
    ("name=a", b"q,ans,text\nWho?,Mara,Mara dug it.\n", "format"),
    ("name=a&map=q", b"q,text\nWho?,Mara dug it.\n", "map"),
    ('name=a&map={"hop_answer":"text"}', b"q,text\nWho?,Mara dug it.\n", "map"),
    ('name=a&map=["q"]', b"q,text\nWho?,Mara dug it.\n", "map"),
    ('name=a&format=jsonl&map={"question":"q","paragraph":"text"}', b"{}", "map"),
    ("name=a&format=xml", b"{}", "format"),
    ("name=a&source=nowhere", b"{}", "source"),
    ("name=a&formt=jsonl", b"{}", "formt"),
    ("name=a&skip_bad=perhaps", b"{}", "skip_bad"),
])  # fmt: skip
def test_what_does_not_fit_is_told_at_its_field(caller: Caller, query: str, body: bytes, field: str) -> None:
    refused = is_problem(caller.post(f"{DATASETS}?{query}", body, **RAW), 422)
    assert [flaw["field"] for flaw in refused["errors"]] == [field]
    assert not Job.objects.exists()


def test_columns_of_an_uploaded_file_are_mapped(caller: Caller) -> None:
    table = b"q,ans,text\nWho dug the well?,Mara,Mara dug the well.\n"
    refused = is_problem(caller.post(f"{DATASETS}?name=mine", table, **RAW), 422)
    mapping = json.loads(refused["errors"][0]["detail"].partition("map=")[2])
    assert mapping == {"question": ["q"], "answer": ["ans"], "paragraph": ["text"]}
    form = {"file": io.BytesIO(table), "name": "mine", "map": json.dumps(mapping | {"paragraph": "text"})}
    job = ended(caller, caller.post(DATASETS, form))
    assert (job["state"], job["result"]["accepted"]) == ("done", 1)
    assert Dataset.objects.get().items.get().example.answer == "Mara"


def test_items_are_told_in_order_and_narrowed(caller: Caller, dataset: Any) -> None:
    where = f"{DATASETS}wells/items/"
    page = caller.get(f"{where}?limit=3").json()
    rest = caller.get(page["next"]).json()
    rows = page["results"] + rest["results"]
    assert [row["position"] for row in rows] == [0, 1, 2, 3]
    assert rows[0]["example"]["hops"] == Dataset.objects.get().items.get(position=0).content["hops"]
    assert caller.get(f"{where}2/").json() == rows[2]
    is_problem(caller.get(f"{where}4/"), 404)
    counts = {
        "q=YEAR+2": 1,
        "q=well-1": 1,
        "hops=2": 4,
        "hops=3": 0,
        "shape=no": 0,
        "answerable=true": 0,
        "archived=true": 0,
        "": 4,
    }
    assert {query: len(caller.get(f"{where}?{query}").json()["results"]) for query in counts} == counts
    for wrong in ("hops=-1", "hops=x", "hops=", "hops=1&hops=2", "answerable=maybe", "q=%00", "shape=" + "x" * 61):
        is_problem(caller.get(f"{where}?{wrong}"), 422)


def test_a_dataset_goes_out_with_its_documents(caller: Caller, dataset: Any) -> None:
    exported = caller.get(f"{DATASETS}wells/export/jsonl/", headers={"Accept": "application/x-ndjson"})
    assert exported["Content-Disposition"] == 'attachment; filename="wells.jsonl.jsonl"'
    result = [json.loads(line) for line in exported.getvalue().splitlines()]
    assert [row["id"] for row in result] == [row["id"] for row in records(4)]
    folder = caller.get(f"{DATASETS}wells/export/race/?folder=true")
    is_problem(folder, 404)  # not several files
    is_problem(caller.get(f"{DATASETS}wells/export/xml/"), 404)
    assert "cannot be written as race" in is_problem(caller.get(f"{DATASETS}wells/export/race/"), 409)["detail"]
    provenance = caller.get(f"{DATASETS}wells/documents/provenance/")
    assert provenance["Content-Type"] == "application/x-ndjson"
    assert len(provenance.getvalue().splitlines()) == 4
    card = caller.get(f"{DATASETS}wells/documents/card/?format=hotpotqa").getvalue()
    assert b"wells.hotpotqa.json" in card
    assert b"wells" in caller.get(f"{DATASETS}wells/documents/datasheet/").getvalue()
    is_problem(caller.get(f"{DATASETS}wells/documents/letter/"), 404)
    is_problem(caller.get(f"{DATASETS}wells/documents/card/?format=xml"), 422)


def test_a_format_of_several_files_is_one_archive(caller: Caller, dataset: Any) -> None:
    from annotation.flow.data.dataset_files import parted
    from annotation.formats import FORMATS

    found = {}
    for name in filter(parted, FORMATS):
        response = caller.get(f"{DATASETS}wells/export/{name}/?folder=true")
        if response.status_code == 200:
            found[name] = zipfile.ZipFile(io.BytesIO(response.getvalue())).namelist()
        else:
            is_problem(response, 409)
    assert all(found.values())


def test_datasets_are_derived_in_every_way_that_the_list_names(caller: Caller, dataset: Any) -> None:
    ways = {way["how"]: way for way in caller.get(f"{PROJECT}derivations/").json()["results"]}
    options = {option["name"]: option for option in ways["splits"]["options"]}
    wish = {"how": "splits", "source": "wells", "name": "parts", "seed": 7}
    job = ended(caller, caller.send(f"{PROJECT}derivations/", wish))
    assert job["state"] == "done", job["error"]
    made = [f"parts{output}" for output in ways["splits"]["outputs"]]
    assert sorted(job["result"]["datasets"]) == sorted(made)
    reply = caller.get(f"{DATASETS}{made[0]}/").json()
    assert (reply["made_of"], reply["how"], reply["lineage"]["seed"], reply["root"]) == (
        ["wells"],
        "splits",
        7,
        "wells",
    )
    assert set(reply["lineage"]["options"]) == set(options)
    assert len(caller.get(f"{DATASETS}?how=splits").json()["results"]) == len(made)
    form = wish | {"name": "others", "options": "{}", "seed": "8"}
    assert ended(caller, caller.post(f"{PROJECT}derivations/", form))["state"] == "done"


@pytest.mark.parametrize(("wish", "field"), [
    ({"how": "splits", "source": "no"}, "source"),
    ({"how": "splits", "name": "new"}, "name"),
    ({"how": "splits", "name": "x" * 99}, "name"),
    ({"how": "splits", "seed": -1}, "seed"),
    ({"how": "splits", "sed": 1}, "sed"),
    ({"how": "splits", "options": {"upwards": 1}}, "options.upwards"),
    ({"how": "contexts", "options": {"paragraphs": "many"}}, "options.paragraphs"),
    ({"how": "contexts", "options": {"paragraphs": -5}}, "options.paragraphs"),
    ({"how": "disconnection-filter"}, "options.predictions"),
    ({"how": "dire-probe", "options": {"labels": "theirs"}}, "options.labels"),
])  # fmt: skip
def test_a_derivation_that_cannot_be_is_told_at_once(
    caller: Caller, dataset: Any, wish: dict[str, Any], field: str
) -> None:
    refused = is_problem(caller.send(f"{PROJECT}derivations/", {"source": "wells", "name": "a"} | wish), 422)
    assert field in {flaw["field"] for flaw in refused["errors"]}
    assert not Job.objects.exists()


def test_a_removal_is_taken_back_while_it_waits(caller: Caller, dataset: Any) -> None:
    posted = caller.send(f"{DATASETS}wells/", method="delete")
    is_problem(caller.get(f"{DATASETS}wells/"), 404)
    undone = caller.send(f"{posted['Location']}undo/")
    assert undone.json()["result"] == {"undone": True}
    assert caller.get(f"{DATASETS}wells/").json()["size"] == 4
    assert is_problem(caller.send(f"{posted['Location']}undo/"), 409)["retry"] is True


def test_jobs_are_listed_and_a_failed_one_is_done_again(caller: Caller, project: Any) -> None:
    wanted = {"path": "/nowhere", "format": "jsonl", "name": "a", "file_name": "a"}
    jobs.enqueue("import_dataset", project=project, title="Import", arguments=wanted)
    jobs.run_due_work()
    rows = caller.get(f"{PROJECT}jobs/?state=failed&kind=import_dataset").json()["results"]
    assert [row["error"] for row in rows] == ["The uploaded file no longer exists. Upload it again."]
    assert "/nowhere" not in json.dumps(rows)
    again = caller.send(f"{PROJECT}jobs/{rows[0]['id']}/again/").json()
    assert (again["state"], again["error"]) == ("waiting", "")
    assert caller.get(f"{PROJECT}jobs/?state=failed").json()["results"] == []
    is_problem(caller.get(f"{PROJECT}jobs/?state=lost"), 422)


def test_tokens_are_listed_and_revoked_by_their_owner_only(alice: Any, bob: Any, caller: Caller, project: Any) -> None:
    narrow, other = Caller(alice, project=project, note="notebook"), Caller(bob.user)
    result = caller.get("/api/v1/tokens/").json()["results"]
    assert [(row["note"], row["project"], row["ending"]) for row in result] == [
        ("notebook", "wells", narrow.text[-4:]),
        ("", None, caller.text[-4:]),
    ]
    assert [row["id"] for row in narrow.get("/api/v1/tokens/").json()["results"]] == [narrow.token.pk]
    is_problem(narrow.send(f"/api/v1/tokens/{caller.token.pk}/", method="delete"), 404)
    is_problem(other.send(f"/api/v1/tokens/{caller.token.pk}/", method="delete"), 404)
    reading = Caller(alice, scope=ApiToken.Scope.READ)
    is_problem(reading.send(f"/api/v1/tokens/{reading.token.pk}/", method="delete"), 403)
    gone = caller.send(f"/api/v1/tokens/{narrow.token.pk}/", method="delete").json()
    assert gone["revoked_at"] is not None
    is_problem(narrow.get(PROJECT), 401)


def test_what_is_said_of_a_dataset_is_corrected_and_noted(caller: Caller, tmp_path: Path) -> None:
    ended(caller, caller.post(f"{DATASETS}?name=dev", write_records(tmp_path / "d.jsonl", 2).read_bytes(), **RAW))
    where = f"{DATASETS}dev/"
    result = caller.send(where, {"licence": "CC BY 4.0 "}, method="patch").json()
    assert (result["licence"], result["source"], result["archived_at"]) == ("CC BY 4.0", "", None)
    result = caller.send(where, {"source": "Twelve letters", "archived": True}, method="patch").json()
    assert (result["licence"], result["source"], result["archived_at"] is None) == (
        "CC BY 4.0",
        "Twelve letters",
        False,
    )
    assert caller.send(where, {"archived": False, "licence": "CC BY 4.0"}, method="patch").json()["archived_at"] is None
    noted = AuditEntry.objects.filter(kind="dataset", key="dev").order_by("pk").values_list("act", "details")
    assert list(noted)[-4:] == [
        ("settings changed", {"licence": "CC BY 4.0"}),
        ("retired", {}),
        ("settings changed", {"source": "Twelve letters"}),
        ("brought back", {}),
    ]
    stated = caller.send(where, {"ethics": "board 7", "consent": "in writing"}, method="patch").json()
    assert (stated["ethics"], stated["consent"]) == ("board 7", "in writing")
    for body in ({"name": "other"}, {"licence": "x" * 201}, {"archived": 1}, {"licence": None}):
        assert is_problem(caller.send(where, body, method="patch"), 422)["errors"][0]["field"] in body


def test_items_are_edited_in_versions_and_archived(caller: Caller, tmp_path: Path) -> None:
    ended(caller, caller.post(f"{DATASETS}?name=dev", write_records(tmp_path / "d.jsonl", 3).read_bytes(), **RAW))
    first = f"{DATASETS}dev/items/0/"
    example = caller.get(first).json()["example"]
    better = {"version": 1, "example": example | {"question": "Which tower?"}, "note": "Clearer."}
    result = caller.send(first, better, key="one", method="put")
    assert (result.status_code, result.json()["version"], result.json()["question"]) == (200, 2, "Which tower?")
    assert caller.send(first, better, key="one", method="put").json() == result.json()
    assert is_problem(caller.send(first, better, method="put"), 409)["retry"] is True
    same = caller.send(first, better | {"version": 2}, method="put")
    assert "Nothing has changed" in is_problem(same, 409)["detail"]
    unfit = caller.send(first, {"version": 2, "example": {"id": 5}}, method="put")
    assert [flaw["field"] for flaw in is_problem(unfit, 422)["errors"]] == ["example"]
    versions = caller.get(f"{first}versions/").json()["results"]
    assert [(row["version"], row["note"], row["example"] == example) for row in versions] == [
        (2, "Clearer.", False), (1, "", True)
    ]  # fmt: skip
    items = f"{DATASETS}dev/items/"
    assert caller.send(f"{items}archive/", {"positions": [0, 2], "reason": "Broken."}).json() == {"changed": 2}
    assert caller.send(f"{items}archive/", {"positions": [0], "reason": "Broken."}).json() == {"changed": 0}
    assert [row["position"] for row in caller.get(f"{items}?archived=false").json()["results"]] == [1]
    assert caller.send(f"{items}restore/", {"positions": [2]}).json() == {"changed": 1}
    wrong = is_problem(caller.send(f"{items}archive/", {"positions": [1, 3], "reason": "No."}), 422)
    assert [flaw["field"] for flaw in wrong["errors"]] == ["positions.1"]


def test_texts_are_judged_as_they_were_sent_blanks_included(caller: Caller, tmp_path: Path) -> None:
    body = write_records(tmp_path / "d.jsonl", 1).read_bytes()
    ended(caller, caller.post(f"{DATASETS}?name=dev", body, **RAW))
    derivation = {"how": "join", "source": "dev", "name": "b\t"}
    assert is_problem(caller.send(f"{PROJECT}derivations/", derivation), 422)["errors"][0]["field"] == "name"
    form = {"file_name": "d" + "\n" * 255, "file": io.BytesIO(body), "format": "jsonl"}
    assert is_problem(caller.post(DATASETS, form), 422)["errors"][0]["field"] == "file_name"
    assert is_problem(caller.post(f"{DATASETS}?name=b%20", body, **RAW), 422)["errors"][0]["field"] == "name"
    assert is_problem(caller.get(f"{PROJECT}workers/?blocked="), 422)["errors"][0]["field"] == "blocked"
