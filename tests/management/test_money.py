"""Money by command: the budget, quotes, paid batches, payouts, and whether it adds up."""

from __future__ import annotations

import csv
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now

from annotation.flow.review import assignment_approval
from annotation.models import Account, Batch, Payout, Project, User, Worker
from annotation.operations import doctor
from annotation.registry import task_type
from tests.flow.acting import newcomer, submit, take
from tests.management.conftest import Run, refused

MONEY = Path(__file__).parents[2] / "docs" / "money.md"
PAID = ["create_batch", "paid", "--task", "answer", "--dataset", "wells", "--assignments", 1, "--paid"]


@pytest.fixture
def worker(run: Run, wells: Path) -> Worker:
    """Somebody who was approved 25 cents in a batch made by command."""
    assert run("put_money", "5", "--note", "grant").code == 0
    assert run(*PAID, "--reward", "0.25", "--auto-approve-days", "3").code == 0
    batch = Batch.objects.get()
    made = newcomer(Project.objects.get(), "bob")
    row = take(made, batch)
    assert row is not None
    submit(row)
    assignment_approval.approve(row)
    return made


def test_a_paid_batch_sets_its_cost_aside(run: Run, wells: Path) -> None:
    refused(run(*PAID, "--reward", "0.25"), "This requires $1.00, but the budget has only $0.00 left")
    assert not Batch.objects.exists()
    assert run("put_money", "5", "--json").document["budget"] == "5.00"
    assert run(*PAID, "--reward", "0.25", "--auto-approve-days", "0").code == 0
    assert (Batch.objects.get().auto_approval, Account.objects.get(name="available").balance) == (0, 4)


def test_a_quote_creates_nothing(run: Run, wells: Path) -> None:
    result = run(*PAID, "--reward", "0.25", "--quote", "--json")
    assert (result.document["total"], result.document["left"]) == ("1.00", "-1.00")
    assert result.document["lines"] == [{"hits": 4, "assignments": 1, "reward": "0.25", "fee": "0.00"}]
    assert "Add $1.00 to the budget" in result.err
    assert not Batch.objects.exists()


def test_the_command_of_the_readme_buys_each_composition_once(run: Run, wells: Path) -> None:
    result = run("create_batch", "round-1", "--task", "compose", "--dataset", "wells", "--paid", "--quote", "--json")
    assert result.document["lines"] == [{"hits": 4, "assignments": 1, "reward": "0.25", "fee": "0.00"}]
    assert result.document["total"] == "1.00"
    assert "1 for compose, coreference, subquestions; 3 for answer" in " ".join(run("create_batch", "-h").out.split())


def test_the_instructions_reckons_the_questions_of_the_paper_at_the_pay_of_the_paper() -> None:
    """Their numbers by hops are those of Table 2 of MuSiQue, train, dev and test together."""
    compose = task_type("compose")
    numbers = {2: 14376 + 1252 + 1271, 3: 4387 + 760 + 763, 4: 1175 + 405 + 425}
    pay = compose.options({})
    cents = sum(number * getattr(pay, f"pay_{hops}hop") for hops, number in numbers.items())
    assert compose.assignments == 1
    assert sum(numbers.values()) == 24814
    said = MONEY.read_text()
    assert f"${cents / 100:,.0f}" in said
    assert f"${3 * cents / 100:,.0f}" in said


@pytest.mark.parametrize(
    ("options", "result"),
    [
        (["--paid"], "--paid needs --reward"),
        (["--reward", "0.25"], "add --paid"),
        (["--auto-approve-days", "3"], "add --paid"),
        (["--paid", "--reward", "0.255"], "no more than 2 decimal places"),
        (["--paid", "--reward", "NaN"], "Enter a number"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(run: Run, wells: Path, options: list[str], result: str) -> None:
    ended = run("create_batch", "b", "--task", "answer", "--dataset", "wells", *options)
    assert ended.code == 2
    assert result in ended.err


def test_a_key_puts_money_in_once(run: Run, db: None) -> None:
    for _again in range(2):
        budget = run("put_money", "5", "--key", "grant-1", "--json").document["budget"]
    assert budget == "5.00"
    refused(run("put_money", "6", "--out"), "the budget has only $5.00 left")


def test_a_payout_goes_out_as_a_file_and_comes_back(run: Run, worker: Worker, tmp_path: Path) -> None:
    file = tmp_path / "payout.csv"
    assert run("make_payout", "--out", file, "--json").document["total"] == "0.25"
    assert file.stat().st_mode & 0o077 == 0
    with file.open(encoding="utf-8-sig", newline="") as text:
        [row] = csv.DictReader(text)
    assert (row["worker_id"], row["state"]) == (worker.public_id, "open")
    refused(run("make_payout", "--out", tmp_path / "second.csv"), "Nobody is owed anything")
    assert not (tmp_path / "second.csv").exists()
    refused(run("make_payout", "--out", file), "File exists")
    content = file.read_text(encoding="utf-8-sig")
    file.write_text(content.replace(",open,", ",done,"))
    refused(run("reconcile_payout", file), "Line 2, state: write open, paid or failed")
    file.write_text(content.replace(",open,", ",paid,"))
    assert run("reconcile_payout", file, "--json").document["paid"] == 1
    assert run("reconcile_payout", file, "--json").document["unchanged"] == 1


def test_a_ledger_that_is_off_ends_with_1(run: Run, worker: Worker) -> None:
    assert "Every ledger balances" in run("check_ledger").out
    Account.objects.filter(name="available").update(balance=99)
    off = run("check_ledger", "default", "--json")
    refused(off, "balances are wrong")
    assert {fault["account"] for fault in off.document["faults"]} == {"available", "total"}
    refused(run("check_ledger", "nowhere"), "There is no project nowhere")


def test_a_quote_says_what_would_be_missing(run: Run, wells: Path) -> None:
    result = run("create_batch", "b", "--task", "answer", "--dataset", "wells", "--sample", "6", "--quote", "--json")
    assert (result.document["asked"], result.document["hits"], result.document["skipped"]) == (6, 4, 2)
    assert result.document["left_out"] == [{"dataset": "wells", "items": 2, "why": "The dataset has no more items."}]


def test_a_payouts_file_is_written_again_and_messages_say_how(run: Run, worker: Worker, tmp_path: Path) -> None:
    nowhere = run("make_payout", "--out", tmp_path / "missing" / "payout.csv")
    refused(nowhere, "No such file")
    assert not Payout.objects.exists()
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    assert run("make_payout", "--out", first).code == 0
    again = run("make_payout", "--out", second)
    refused(again, "Nobody is owed anything", "make_payout --project default --number 1 --out FILE")
    assert run("make_payout", "--number", 1, "--out", second, "--json").document["total"] == "0.25"
    assert second.read_bytes() == first.read_bytes()
    assert second.stat().st_mode & 0o077 == 0
    refused(run("make_payout", "--number", 2, "--out", tmp_path / "third.csv"), "There is no payout 2")
    assert sorted(path.name for path in tmp_path.glob("*.csv*")) == ["first.csv", "second.csv"]
    assert not list(tmp_path.glob(".*.part"))


def test_a_payout_whose_file_cannot_be_written_is_stored_and_says_how_to_get_it(
    run: Run, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as while_full:
        while_full.setattr(Path, "replace", full)
        ended = run("make_payout", "--out", tmp_path / "payout.csv")
    refused(ended, "Payout 1 is stored, but its file could not be written: No space left", "--number 1 --out FILE")
    assert run("make_payout", "--number", 1, "--out", tmp_path / "payout.csv").code == 0


@pytest.mark.parametrize("state", [Batch.State.DRAFT, Batch.State.LAUNCHING])
def test_a_batch_that_a_killed_command_left_is_taken_up_by_the_same_command_only(
    run: Run, wells: Path, state: str
) -> None:
    command = ["create_batch", "b", "--task", "answer", "--dataset", "wells", "--assignments", 2]
    assert run(*command).code == 0
    Batch.objects.update(state=state, launched_at=None, size=0)
    other = "was created with other settings" if state == Batch.State.LAUNCHING else "is taken by another batch"
    refused(run(*command, "--seed", 5), other)
    refused(run(*command, "--no-disjoint"), other)
    assert Batch.everything.count() == 1
    ended = run(*command)
    assert (ended.code, "This one continues" in ended.err) == (0, True)
    batch = Batch.objects.get()
    assert (batch.state, batch.hits.count()) == ("open", 4)
    refused(run(*command), "is taken by another batch")


def test_a_draft_that_somebody_made_on_a_page_is_not_taken_up(run: Run, wells: Path) -> None:
    command = ["create_batch", "b", "--task", "answer", "--dataset", "wells"]
    assert run(*command).code == 0
    Batch.objects.update(state=Batch.State.DRAFT, created_by=User.objects.create_user("ada"))
    refused(run(*command), "is taken by another batch")


def test_a_quote_deletes_no_batch_in_launch(run: Run, wells: Path) -> None:
    command = ["create_batch", "b", "--task", "answer", "--dataset", "wells"]
    assert run(*command).code == 0
    Batch.objects.update(state=Batch.State.LAUNCHING)
    refused(run(*command, "--quote"), "is taken by another batch")
    assert Batch.objects.get().state == Batch.State.LAUNCHING
    assert doctor._launches().well
    Batch.objects.update(created_at=Now() - timedelta(hours=1))
    assert (doctor._launches().well, doctor._launches().text) == (False, "interrupted: default/b")
