"""`manage.py call`: any operation of the API, with its permissions, log, problems and idempotency."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.api.calls import operations
from annotation.models import AuditEntry, Batch, Dataset, Job, Member, Project, User
from tests.management.conftest import Run, refused

ROOT = Path(__file__).resolve().parents[2]
IN = ("--project", "wells")
pytestmark = pytest.mark.usefixtures("alice")  # the project's owner


def ids() -> set[str]:
    """The operations that docs/api.md names, which are those of the schema (tests/api/test_schema.py)."""
    text = (ROOT / "docs/api.md").read_text()
    rows = [line for line in text[text.index("## Operations") :].splitlines() if line.startswith("| ")]
    return {
        name.strip("`")
        for row in rows
        for name in row.split("|")[2].split(", ")
        for name in [name.strip()]
        if "`" in name
    }


def test_every_operation_is_listed_by_subject_in_a_line(run: Run) -> None:
    ended = run("call")
    assert ended.code == 0
    lines = [line.split(maxsplit=1) for line in ended.out.splitlines() if line.startswith("  ")]
    assert {name for name, _summary in lines} == ids() == set(operations())
    assert all(summary for _name, summary in lines)
    assert "money:\n" in ended.out
    assert set(run("call", "--json").document["operations"]) == ids()


def test_every_operation_says_its_parameters(run: Run) -> None:
    for operation in operations().values():
        assert all((one.kind, one.help) for one in operation.parameters.values()), operation.id
    ended = run("call", "createBatch", "--help")
    assert ended.code == 0
    assert "  title (text, length at most 200) required" in ended.out
    assert "How many workers respond to each HIT" in ended.out or "assignments_per_hit" in ended.out
    assert "call createBatch" not in run("call", "--help").out


def test_a_batch_is_made_launched_listed_and_closed(run: Run, dataset: Dataset, alice: User) -> None:
    made = run("call", "createBatch", "title=Towers", "task=answer", "datasets=wells", "paid=false", *IN, "--json")
    assert (made.code, made.err) == (0, "")
    assert (made.document["name"], made.document["datasets"]) == ("towers", ["wells"])
    assert Batch.objects.get().created_by == alice
    launched = run("call", "launchBatch", "batch=towers", *IN, "--wait", "--json")
    assert (launched.code, launched.document["hits"]) == (0, 4)
    head, row = run("call", "listBatches", "state=open", *IN).out.splitlines()
    assert (head.split()[0], row.split()[0]) == ("name", "towers")
    assert "state: closed" in run("call", "closeBatch", "batch=towers", *IN).out
    assert Batch.objects.get().state == "closed"
    entry = AuditEntry.objects.filter(act="closed").get()
    assert (entry.via, entry.user) == ("command", alice)


def test_a_job_that_is_refused_ends_with_1_and_its_reason(run: Run, batch: Batch) -> None:
    named = [f"batch={batch.slug}", "name=results"]
    queued = run("call", "createResultsDataset", *named, *IN, "--json").document
    assert Job.objects.get(public_id=queued["id"]).state == "waiting"
    refused(run("call", "createResultsDataset", *named, *IN, "--wait"), "No item has an aggregated response yet")


def test_permissions_are_those_of_the_api(run: Run, project: Project, alice: User) -> None:
    other = User.objects.create_user("carol")
    refused(run("call", "listBatches", "--as", "carol", *IN), "Not found.")
    Member.objects.create(project=project, user=other, role="reviewer")
    refused(
        run("call", "makePayout", "--as", "carol", *IN), "Your role in this project (reviewer) does not allow this."
    )
    refused(run("call", "listBatches", "--as", "nobody", *IN), "No account has the name or email nobody.")
    Member.objects.filter(user=other).update(role="owner")
    refused(run("call", "listBatches", *IN), "Project wells has several owners. Choose one: --as alice, carol.")
    Member.objects.all().delete()
    refused(run("call", "listBatches", *IN), "Project wells has no owner.")


def test_an_email_that_several_accounts_have_names_none_of_them(run: Run, project: Project) -> None:
    for name in ("carol", "dora"):
        User.objects.create_user(name, "lab@example.org")
    asked = "Several accounts have the email lab@example.org. Give the login name."
    refused(run("call", "listBatches", "--as", "lab@example.org", *IN), asked)
    refused(run("password_link", "lab@example.org"), asked)
    refused(run("create_project", "towers", "--owner", "lab@example.org"), asked)
    refused(run("create_access_key", "lab@example.org"), asked)


def test_a_key_is_carried_out_once(run: Run, dataset: Dataset) -> None:
    draft = ["call", "createBatch", "title=Towers", "task=answer", "datasets=wells", *IN, "--key", "k-1"]
    assert run(*draft).out == run(*draft).out
    assert Batch.objects.count() == 1
    again = run(*draft[:2], "title=Other", *draft[3:])
    assert "This Idempotency-Key was used for a different request." in again.err
    assert again.code == 1


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([], ["title: This field is required.", "datasets: This field is required."]),
        (["title=T", "task=answer", "datasets=wells", "sample=many"], ["sample: A valid integer is required."]),
        (["title=T", "task=sing", "datasets=wells"], ["task: “sing” is not a valid choice."]),
        (["title=T", "task=answer", "datasets=wells", "colour=red"], ["colour: There is no such field."]),
        (["title"], ["title: write KEY=VALUE"]),
    ],
)
def test_a_wrong_value_is_named_by_its_field(run: Run, dataset: Dataset, values: list[str], texts: list[str]) -> None:
    ended = run("call", "createBatch", *values, *IN)
    assert (ended.code, ended.out) == (2, "")
    assert all(text in ended.err for text in texts), ended.err
    assert not Batch.objects.exists()


def test_what_is_not_there_is_said(run: Run, batch: Batch) -> None:
    ended = run("call", "closeBatches")
    assert (ended.code, "Did you mean closeBatch" in ended.err) == (2, True)
    refused(
        run("call", "closeBatch", "batch=none", *IN), "There is no batch none in project wells. There are: wells-1."
    )
    refused(run("call", "getDataset", "name=none", *IN), "There is no dataset none in project wells.")
    refused(run("call", "getDataset", "name=wells/items", *IN), "There is no dataset wells/items")
    ended = run("call", "closeBatch", *IN)
    assert (ended.code, "batch: This field is required." in ended.err) == (2, True)
    refused(run("call", "listBatches", "--project", "nowhere"), "There is no project nowhere.")


def test_files_go_in_and_out(run: Run, dataset: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "wells.jsonl"
    written = run("call", "exportDataset", "name=wells", "format=jsonl", *IN, "--out", out, "--json").document
    assert (written["out"], written["bytes"]) == (str(out), out.stat().st_size)
    assert run("call", "exportDataset", "name=wells", "format=jsonl", *IN).out == out.read_text()
    sent = ["name=again", f"file=@{out}", "licence=CC0", "--wait", "--json", *IN]
    assert run("call", "importDataset", *sent).document["accepted"] == 4
    assert Dataset.objects.get(slug="again").licence == "CC0"
    refused(run("call", "importDataset", "file=@/no/such/file", *IN), "/no/such/file: No such file")
    (tmp_path / "ethics").write_text("board 7")
    assert run("call", "changeDataset", "name=again", f"ethics=@{tmp_path / 'ethics'}", *IN).code == 0
    assert Dataset.objects.get(slug="again").ethics == "board 7"


def test_lists_are_repeated_or_json(run: Run, project: Project, dataset: Dataset) -> None:
    for number, datasets in enumerate((["datasets=wells", "datasets=wells"], ['datasets=["wells"]'])):
        ended = run(
            "call", "createBatch", f"title=B{number}", "task=answer", *datasets, 'options={"yes_no": true}', *IN
        )
        assert ended.code == 0, ended.err
    assert [batch.options["yes_no"] for batch in Batch.objects.all()] == [True, True]


def test_a_job_that_is_due_later_is_not_waited_for(run: Run, dataset: Dataset) -> None:
    ended = run("call", "removeDataset", "name=wells", *IN, "--wait", "--json")
    assert (ended.code, ended.document["state"]) == (0, "waiting")


def test_a_derivation_takes_options_as_json_and_files(run: Run, dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "said.json").write_text("{}")
    terms = ["how=singlehop", "source=wells", "name=single", "seed=7", 'options={"fewest_words": 4}']
    for file in ([], [f"predictions=@{tmp_path / 'said.json'}"]):
        ended = run("call", "deriveDataset", *terms, *file, *IN)
        assert ended.code == 0, ended.err
    plain, whole = Job.objects.order_by("pk")
    assert plain.arguments["options"] == whole.arguments["options"]
    assert plain.arguments["options"]["fewest_words"] == 4
    assert (plain.arguments["uploads"], whole.arguments["seed"]) == ({}, 7)
    assert whole.arguments["uploads"]["predictions"]["file_name"] == "said.json"


def test_a_page_says_how_to_get_the_next(run: Run, project: Project) -> None:
    for name in ("a", "b", "c"):
        assert run("call", "createQualification", f"name={name}", "description=d", *IN).code == 0
    _head, first, second, more = run("call", "listQualifications", "limit=2", *IN).out.splitlines()
    assert more.startswith("There are more: cursor=")
    rest = run("call", "listQualifications", *more.partition(": ")[2].split("&"), *IN)
    assert rest.code == 0, rest.err
    assert len({first, second, *rest.out.splitlines()[1:]}) == 3
