"""Push of a dataset to the Hugging Face Hub: all splits, card, datasheet and provenance, in one commit."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.utils.translation import gettext as _

from annotation.flow.data import hub
from annotation.flow.data.dataset_files import examples_of, refusing, whole_file
from annotation.flow.data.lineage import splits_of
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.flow.reports import dataset_documents
from annotation.flow.reports.dataset_documents import DOCUMENTS
from annotation.formats import FORMATS
from annotation.formats.fields import without_gold
from annotation.formats.rows import dumped, write_lines
from annotation.models import AuditEntry, Dataset
from annotation.pure.data.example import Example
from annotation.pure.data.hub_layout import HubName, Unclear, hub_name, row_of

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import DatasetInfo

CARD = "README.md"
COLUMNS = "data"  # the folder of the files in columns
OWN = "jsonl"  # of which the columns are a layout


@dataclass(frozen=True, slots=True)
class Push:
    """What to push: `hf:OWNER/NAME`, the data's format, and the splits whose gold stays back or no longer does."""

    target: str
    format: str
    public: bool = False
    without_gold: Collection[str] = ()
    with_gold: Collection[str] = ()


def push(dataset: Dataset, wanted: Push, *, dry_run: bool = False, check: bool = False) -> dict[str, Any]:
    """Push all splits that belong together; returns {"repository", "files", "without_gold", "private", "commit", …}.

    A new repository is private unless `public`. With `dry_run` nothing is sent; the Hub is asked what is there only
    with `check`, and else "private" and the files' changes are missing. Raises Refused.
    """
    name, splits = _target(wanted.target), splits_of(dataset)
    hidden = _hidden(splits, wanted)
    with tempfile.TemporaryDirectory(prefix="hopscribe-push-") as folder:
        _write(dataset, splits, hidden, wanted.format, Path(folder))
        report: dict[str, Any] = {"repository": str(name), "url": hub.page_of(name.repository)}
        report["without_gold"] = sorted(hidden)
        if dry_run and not check:
            rows = [{"path": path, "size": (Path(folder) / path).stat().st_size} for path in _paths(Path(folder))]
            return report | {"files": rows, "dry_run": True}
        api = hub.client()
        before = _existing(api, name)
        private = _is_private(before, name, public=wanted.public)
        files = [_row(Path(folder) / path, path, before) for path in _paths(Path(folder))]
        report |= {"private": private, "new": before is None, "files": files}
        if dry_run:
            return report | {"dry_run": True}
        report["commit"] = _commit(api, name, Path(folder), files, before, private=private)
    for split, row in splits.items():
        record(row, to=str(name), revision=report["commit"], gold=split not in hidden)
    return report


def _target(text: str) -> HubName:
    try:
        name = hub_name(text)
    except Unclear as unclear:
        raise Refused(str(unclear)) from None
    if name.revision:
        raise Refused(_("A push goes to the newest version. Leave out @%(revision)s.") % {"revision": name.revision})
    return name


def _hidden(splits: Mapping[str, Dataset], wanted: Push) -> set[str]:
    """The splits whose gold stays back: as asked for, and those whose gold stayed back in their last push."""
    for name in (*wanted.without_gold, *wanted.with_gold):
        if name not in splits:
            text = _("There is no split %(name)s. Choose one of %(known)s.")
            raise Refused(text % {"name": name, "known": ", ".join(splits)})
    if both := set(wanted.without_gold) & set(wanted.with_gold):
        raise Refused(_("%(name)s cannot be pushed both with and without gold.") % {"name": ", ".join(sorted(both))})
    kept = {split for split, row in splits.items() if gold_stayed_back(row)}
    return (kept | set(wanted.without_gold)) - set(wanted.with_gold)


def _write(dataset: Dataset, splits: Mapping[str, Dataset], hidden: set[str], format: str, folder: Path) -> None:
    """Write every file of the repository into the folder; the provenance of a split tells its gold.

    Loaders take the files in columns, which the card names; those in the official layout stand beside them.
    """
    files, is_own = {}, format == OWN
    (folder / COLUMNS).mkdir()
    for split, row in splits.items():
        gold = split not in hidden
        files[split] = f"{row.slug}.jsonl" if is_own else f"{COLUMNS}/{row.slug}.jsonl"
        whole_file(folder / files[split], _columns_of(row, gold=gold))
        if not is_own:
            whole_file(folder / f"{row.slug}{FORMATS[format].suffix}", _data_of(row, format, gold=gold))
        if gold:
            dataset_documents.export_provenance(row, folder / f"{row.slug}.{DOCUMENTS['provenance']}")
    dataset_documents.export_datasheet(dataset, folder / DOCUMENTS["datasheet"])
    terms: dict[str, Any] = {"files": files, "datasheet": DOCUMENTS["datasheet"], "without_gold": sorted(hidden)}
    dataset_documents.export_card(dataset, folder / CARD, **terms, in_columns=True)


def _columns_of(dataset: Dataset, *, gold: bool) -> Callable[[BinaryIO], int]:
    def write(out: BinaryIO) -> int:
        with refusing(dataset, OWN):
            return write_lines((dumped(row_of(each), each) for each in _shown(dataset, gold=gold)), out)

    return write


def _data_of(dataset: Dataset, format: str, *, gold: bool) -> Callable[[BinaryIO], int]:
    def write(out: BinaryIO) -> int:
        with refusing(dataset, format):
            return FORMATS[format].write(_shown(dataset, gold=gold), out)

    return write


def _shown(dataset: Dataset, *, gold: bool) -> Iterator[Example]:
    examples = examples_of(dataset)
    return examples if gold else map(without_gold, examples)


def _existing(api: HfApi, name: HubName) -> DatasetInfo | None:
    """The repository; None if the token sees none."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    with hub.errors_of(name):
        try:
            return api.dataset_info(name.repository, files_metadata=True, timeout=30)
        except GatedRepoError:
            raise
        except RepositoryNotFoundError:
            return None


def _is_private(before: DatasetInfo | None, name: HubName, *, public: bool) -> bool:
    if before is None:
        return not public
    if not before.private and not public:
        text = _("%(address)s is public. Add --public to push there all the same, or choose another name.")
        raise Refused(text % {"address": hub.page_of(name.repository)})
    return bool(before.private)


def _paths(folder: Path) -> Iterator[str]:
    yield from sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def _row(file: Path, path: str, before: DatasetInfo | None) -> dict[str, Any]:
    """{"path", "size", "change"} of a file to push; change: new, replaced or unchanged."""
    there = next((each for each in (before.siblings if before else None) or () if each.rfilename == path), None)
    same = there is not None and (
        there.lfs.sha256 == _digest(file, "sha256") if there.lfs else there.blob_id == _digest(file, "sha1")
    )
    return {
        "path": path,
        "size": file.stat().st_size,
        "change": "unchanged" if same else "replaced" if there else "new",
    }


def _digest(file: Path, kind: str) -> str:
    """SHA-256 of a file, or git's name of it, which is SHA-1 of a header and the content."""
    digest = hashlib.new(kind, usedforsecurity=False)
    if kind == "sha1":
        digest.update(b"blob %d\0" % file.stat().st_size)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _commit(
    api: HfApi,
    name: HubName,
    folder: Path,
    files: list[dict[str, Any]],
    before: DatasetInfo | None,
    *,
    private: bool,
) -> str:
    """Commit the files that changed; returns the commit. Refused if somebody else commits at the same time.

    A repository that was made for the commit is removed again if it fails.
    """
    changed = [row["path"] for row in files if row["change"] != "unchanged"]
    if before is not None and not changed:
        return before.sha or ""
    if before is not None:
        return _send(api, name, folder, changed, parent=before.sha)
    with hub.errors_of(name):
        api.create_repo(name.repository, repo_type=hub.DATASET, private=private)
    try:
        return _send(api, name, folder, changed, parent=None)
    except BaseException as failure:  # also if the job is stopped: an empty repository would stay there
        if not _removed(api, name) and isinstance(failure, Refused):
            text = _("%(why)s The push made %(address)s, which could not be removed. Look there, and delete it.")
            raise Refused(text % {"why": failure, "address": hub.page_of(name.repository)}) from failure
        raise


def _send(api: HfApi, name: HubName, folder: Path, paths: list[str], *, parent: str | None) -> str:
    from huggingface_hub import CommitOperationAdd

    with hub.errors_of(name):
        made = api.create_commit(
            name.repository,
            [CommitOperationAdd(path, folder / path) for path in paths],
            commit_message="Push from Hopscribe",
            repo_type=hub.DATASET,
            parent_commit=parent,
        )
    return made.oid


def _removed(api: HfApi, name: HubName) -> bool:
    """Delete the repository if there is nothing in it but what the Hub puts there; returns whether it was."""
    with suppress(Refused), hub.errors_of(name):  # the caller says what stayed
        there = api.dataset_info(name.repository, timeout=30).siblings or ()
        if all(file.rfilename == ".gitattributes" for file in there):
            api.delete_repo(name.repository, repo_type=hub.DATASET)
            return True
    return False


ACT = "pushed"


def record(split: Dataset, *, to: str, revision: str, gold: bool) -> None:
    """Record that the split was pushed to a repository in this commit, with or without its gold."""
    audit_log.record(ACT, split, to=to, revision=revision, gold=gold)


def gold_stayed_back(split: Dataset) -> bool:
    """Whether the split's last push was without its gold."""
    pushes = AuditEntry.objects.filter(project=split.project_id, act=ACT, kind="dataset", key=split.slug)
    last = pushes.order_by("-pk").first()
    return last is not None and last.details.get("gold") is False
