"""`export_dataset --push` to the double of the Hub: one commit, private, and gold that stays back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import AuditEntry, Dataset
from tests.hub import double
from tests.hub.double import READS_ONLY, TOKEN, Commit, Hub
from tests.management.conftest import Run, refused

pytestmark = pytest.mark.django_db
PUSH = ["export_dataset", "wells", "--format", "jsonl", "--push", "hf:lab/wells"]
SPLITS = ["train", "dev", "test"]


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)


@pytest.fixture
def split(run: Run, wells: Path) -> list[str]:
    """The wells in three splits; what pushes the first."""
    shares = [word for share in ("train=0.5", "dev=0.25", "test=0.25") for word in ("--option", share)]
    assert run("derive_dataset", "wells", "--how", "splits", "--name", "own", *shares).code == 0
    return ["export_dataset", "own-train", "--format", "hotpotqa", "--push", "hf:lab/own"]


def test_everything_goes_in_one_commit_to_a_private_repository(hub: Hub, run: Run, wells: Path) -> None:
    ended = run(*PUSH, "--json")
    assert ended.code == 0, ended.err
    pushed = hub.repositories["lab/wells"]
    assert pushed.private
    assert len(pushed.commits) == 2
    assert sorted(pushed.files) == ["README.md", "datasheet.md", "wells.jsonl", "wells.provenance.jsonl"]
    assert ended.document["commit"] == pushed.commits[-1].sha
    assert ended.document["private"] is True
    assert b"# Datasheet of wells" in pushed.files["datasheet.md"]
    assert b'path: "wells.jsonl"' in pushed.files["README.md"]
    entry = AuditEntry.objects.get(act="pushed")
    assert entry.details == {"to": "hf:lab/wells", "revision": pushed.commits[-1].sha, "gold": True}


def test_what_was_pushed_comes_back_the_same(hub: Hub, run: Run, wells: Path) -> None:
    assert run(*PUSH).code == 0
    assert run("import_dataset", "hf:lab/wells", "--name", "back").code == 0
    before, after = Dataset.objects.get(slug="wells"), Dataset.objects.get(slug="back")
    contents = [[item.content for item in row.items.order_by("position")] for row in (before, after)]
    assert contents[0] == contents[1]


def test_a_dry_run_lists_the_files_and_asks_nobody(hub: Hub, run: Run, wells: Path) -> None:
    ended = run(*PUSH, "--dry-run")
    assert ended.code == 0
    assert "hf:lab/wells\n" in ended.out
    assert "wells.jsonl" in ended.out
    assert "Nothing was sent. Add --check" in ended.out
    assert hub.requests == []
    assert "--check goes with --dry-run only" in run(*PUSH, "--check").err


def test_a_dry_run_that_checks_compares_the_files_and_sends_nothing(hub: Hub, run: Run, wells: Path) -> None:
    ended = run(*PUSH, "--dry-run", "--check")
    assert ended.code == 0
    assert "hf:lab/wells (new, private)" in ended.out
    assert "new       wells.jsonl" in ended.out
    assert "Nothing was sent" in ended.out
    assert {method for method, _, _ in hub.requests} == {"GET"}
    assert not hub.repositories
    assert not AuditEntry.objects.filter(act="pushed").exists()


def test_a_second_push_sends_what_changed(hub: Hub, run: Run, wells: Path) -> None:
    assert run(*PUSH).code == 0
    pushed = hub.repositories["lab/wells"]
    again = run(*PUSH, "--json").document
    assert {row["change"] for row in again["files"]} == {"unchanged"}
    assert len(pushed.commits) == 2
    pushed.commits.append(Commit("edit the card", {**pushed.files, "README.md": b"# Mine\n", "notes.txt": b"kept"}))
    third = run(*PUSH, "--json").document
    assert [row["path"] for row in third["files"] if row["change"] == "replaced"] == ["README.md"]
    assert pushed.files["notes.txt"] == b"kept"


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # the library's own
def test_large_files_go_to_the_large_file_storage(
    hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(double, "LARGE", 500)
    assert run(*PUSH).code == 0
    assert len(hub.large) >= 2
    assert {row["change"] for row in run(*PUSH, "--json").document["files"]} == {"unchanged"}
    assert run("import_dataset", "hf:lab/wells", "--name", "back").code == 0


def test_a_public_repository_is_only_pushed_to_on_purpose(hub: Hub, run: Run, wells: Path) -> None:
    hub.add("lab/wells", {"README.md": b"# Ours\n"})
    refused(run(*PUSH), "/datasets/lab/wells is public. Add --public")
    assert len(hub.repositories["lab/wells"].commits) == 1
    assert run(*PUSH, "--public").code == 0
    assert run(*PUSH[:-1], "hf:lab/open", "--public").code == 0
    assert not hub.repositories["lab/open"].private


def test_gold_that_stays_back_stays_back_until_it_is_released(hub: Hub, run: Run, split: list[str]) -> None:
    ended = run(*split, "--without-gold", "test", "--json")
    assert ended.code == 0, ended.err
    files = hub.repositories["lab/own"].files
    data = {name: json.loads(files[f"own-{name}.json"]) for name in SPLITS}
    assert all("answer" in row for name in ("train", "dev") for row in data[name])
    assert data["test"]
    assert {key for row in data["test"] for key in row} == {"_id", "question", "context"}
    gold = [answer for item in Dataset.objects.get(slug="own-test").items.all() for answer in item.example.answers]
    sheet = json.dumps([files["datasheet.md"].decode(), files["README.md"].decode()])
    assert not [answer for answer in gold if f'"{answer}"' in sheet]
    assert sorted(name for name in files if "provenance" in name) == [
        "own-dev.provenance.jsonl",
        "own-train.provenance.jsonl",
    ]
    assert b"The gold of `test` is not published" in files["README.md"]

    assert run(*split, "--json").document["without_gold"] == ["test"]
    other = [*split[:1], "own-test", *split[2:-1], "hf:lab/elsewhere"]
    assert run(*other, "--json").document["without_gold"] == ["test"]
    assert run(*split, "--with-gold", "test", "--json").document["without_gold"] == []
    assert "answer" in json.loads(hub.repositories["lab/own"].files["own-test.json"])[0]
    assert run(*split, "--json").document["without_gold"] == []


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (["--without-gold", "tset"], "There is no split tset. Choose one of train, dev, test."),
        (["--without-gold", "dev", "--with-gold", "dev"], "dev cannot be pushed both with and without gold"),
    ],
)
def test_an_unknown_split_is_refused(hub: Hub, run: Run, split: list[str], more: list[str], text: str) -> None:
    refused(run(*split, *more), text)
    assert not hub.repositories


def test_a_push_that_may_not_be_is_refused(hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(run(*PUSH[:-1], "hf:lab/wells@main"), "Leave out @main")
    refused(run(*PUSH[:-1], "wells"), "hf:OWNER/NAME")
    monkeypatch.setenv("HF_TOKEN", READS_ONLY)
    refused(run(*PUSH), "Use one with the right permissions: writing, for a push")
    monkeypatch.delenv("HF_TOKEN")
    refused(run(*PUSH), "The Hub does not accept the token")
    assert not hub.repositories


def test_a_push_beside_another_is_refused(hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add("lab/wells", {}, private=True)
    info, shown = double.Handler.info, []

    def slow(handler: Any, name: str, revision: str = "main") -> None:
        info(handler, name, revision)
        shown.append(name)
        hub.repositories[name].commits.append(Commit(f"meanwhile {len(shown)}", {}))

    monkeypatch.setattr(double, "ROUTES", [("GET", f"/api/datasets/{double.REPO}", slow), *double.ROUTES])
    refused(run(*PUSH), "was changed by somebody else at the same time")


COMMIT = ("POST", f"/api/datasets/{double.REPO}/commit/(.+)")


def failing(monkeypatch: pytest.MonkeyPatch, *routes: tuple[str, str]) -> None:
    """Have the Hub fail at these requests."""

    def fail(*_: Any) -> None:
        raise double.Refusal(500, "", "out of order")

    monkeypatch.setattr(double, "ROUTES", [*((*route, fail) for route in routes), *double.ROUTES])


def test_a_first_push_that_fails_leaves_no_repository(
    hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, COMMIT)
    refused(run(*PUSH), "The Hub answered 500 on hf:lab/wells.")
    assert not hub.repositories
    assert not AuditEntry.objects.filter(act="pushed").exists()


def test_a_later_push_that_fails_leaves_the_repository_as_it_was(
    hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("lab/wells", {}, private=True)
    failing(monkeypatch, COMMIT)
    refused(run(*PUSH), "The Hub answered 500 on hf:lab/wells.")
    assert len(hub.repositories["lab/wells"].commits) == 1


def test_a_repository_that_cannot_be_removed_again_is_named(
    hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, COMMIT, ("DELETE", "/api/repos/delete"))
    refused(run(*PUSH), "/datasets/lab/wells, which could not be removed. Look there, and delete it.")


def test_a_repository_in_which_there_is_something_stays(
    hub: Hub, run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(handler: Any, name: str, revision: str) -> None:
        hub.repositories[name].commits.append(Commit("arrived", {"wells.jsonl": b"{}"}))
        raise double.Refusal(500, "", "out of order")

    monkeypatch.setattr(double, "ROUTES", [(*COMMIT, lost), *double.ROUTES])
    refused(run(*PUSH), "which could not be removed. Look there")
    assert "wells.jsonl" in hub.repositories["lab/wells"].files


@pytest.mark.parametrize(
    "options",
    [["--public", "--out", "x"], ["--push", "hf:a/b", "--card", "x"], ["--push", "hf:a/b", "--out", "x"], []],
)
def test_options_that_do_not_belong_together_are_refused(run: Run, wells: Path, options: list[str]) -> None:
    assert run("export_dataset", "wells", "--format", "jsonl", *options).code == 2
