"""Import of a split of a dataset on the Hugging Face Hub, at one revision, which is recorded with its licence."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from annotation.flow.data import hub
from annotation.flow.data.dataset_import import Unmapped, first_file, import_dataset, recognised
from annotation.flow.data.item_writer import OnProgress, no_progress
from annotation.flow.errors import Refused
from annotation.models import Project
from annotation.pure.data.column_mapping import ColumnMapping
from annotation.pure.data.hub_layout import HubName, Unclear, chosen, first_config, hub_name, layout

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import DatasetInfo


@dataclass(frozen=True, slots=True)
class HubSplit:
    """A split to import. Empty: the newest revision, the only or the default config, the only split."""

    repository: str
    revision: str = ""
    config: str = ""
    split: str = ""

    @classmethod
    def of(cls, text: str, config: str = "", split: str = "") -> HubSplit:
        """The split of `hf:OWNER/NAME@REVISION`. Raises Refused."""
        try:
            name = hub_name(text)
        except Unclear as unclear:
            raise Refused(str(unclear)) from None
        return cls(name.repository, name.revision, config, split)

    @property
    def name(self) -> HubName:
        return HubName(self.repository, self.revision)


def import_from_hub(
    project: Project,
    wanted: HubSplit,
    *,
    format: str,
    name: str,
    licence: str = "",
    source: str = "",
    limit: int | None = None,
    anonymous: bool = False,
    mapping: ColumnMapping | None = None,
    keep: Callable[[Path], str] | None = None,
    progress: OnProgress = no_progress,
    **terms: Any,
) -> dict[str, Any]:
    """Download a split and import it; returns the report, with `hub`: repository, revision, config, split, files.

    `format` "" is recognised; `licence` and `source` default to the card's and to the address of the revision;
    `limit`: bytes; `anonymous`: see `hub.client`; `terms`: further arguments of `import_dataset`. Raises Refused; for
    columns of no known format Unmapped, whose report has the exact split as `hub` and, as `sample`, the name that
    `keep` gave to the first file.
    """
    with fetched(wanted, limit=limit, anonymous=anonymous, progress=progress) as (path, found, card_licence):
        try:
            format = "jsonl" if mapping else recognised(path, str(wanted.name), wanted=format)
        except Unmapped as unmapped:
            if keep:
                unmapped.report |= {"sample": keep(first_file(path)), "hub": found}
            raise
        what = {
            "format": format,
            "mapping": mapping,
            "name": name,
            "licence": licence or card_licence[:200],
            "source": source or hub.page_of(found["repository"], found["revision"]),
            "file_name": f"{wanted.repository}/{found['config']}/{found['split']}",
            "hub": found,
        }
        return import_dataset(project, path, progress=progress, **{**terms, **what})


@contextmanager
def fetched(
    wanted: HubSplit, *, limit: int | None, anonymous: bool, progress: OnProgress
) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """(file or folder, what it is, the card's licence) while the block runs."""
    api = hub.client(anonymous=anonymous)
    info = hub.info_of(api, wanted.name)
    card = info.card_data.to_dict() if info.card_data else {}  # type: ignore[no-untyped-call]  # the library's
    configs = card.get("configs")
    found = layout([file.rfilename for file in info.siblings or ()], configs, revision=wanted.revision)
    try:
        config, split, files = chosen(found, wanted.config, wanted.split, default=first_config(configs))
    except Unclear as unclear:
        raise Refused(_("%(name)s: %(why)s") % {"name": wanted.name, "why": unclear}) from None
    _refuse_too_much(info, files, limit)
    what = {
        "repository": info.id, "revision": info.sha, "config": config, "split": split, "files": files,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hopscribe-hub-") as folder:
        path = _download(api, wanted.name, info, files, Path(folder), progress)
        yield path, what, licence_of(card)


def licence_of(card: dict[str, Any]) -> str:
    """The licence that a card states, "" if none."""
    stated = card.get("license")
    names = [str(each) for each in (stated if isinstance(stated, list) else [stated]) if each and each != "unknown"]
    return str(card.get("license_name") or "other") if names == ["other"] else "; ".join(names)


def _refuse_too_much(info: DatasetInfo, files: list[str], limit: int | None) -> None:
    size = _size(info, files)
    if limit is not None and size > limit:
        text = _("The files have %(size)s MB, more than %(limit)s MB. Import them on the server with import_dataset.")
        raise Refused(text % {"size": f"{size / 1e6:,.1f}", "limit": f"{limit / 1e6:,.1f}"})


def _size(info: DatasetInfo, files: list[str]) -> int:
    return sum(file.size or 0 for file in info.siblings or () if file.rfilename in files)


def _download(
    api: HfApi, name: HubName, info: DatasetInfo, files: list[str], folder: Path, progress: OnProgress
) -> Path:
    """The one file, or a folder with nothing but the files, in the order of their names."""
    draft, whole, size = folder / "draft", folder / "files", max(_size(info, files), 1)

    def get(file: str, done: hub.Done) -> None:
        with hub.errors_of(name):
            place: dict[str, Any] = {"repo_type": hub.DATASET, "revision": info.sha, "local_dir": draft}
            api.hf_hub_download(info.id, file, tqdm_class=hub.counting(done), **place)

    done = hub.Done()
    for file in files:
        hub.waiting(partial(get, file, done), lambda: progress(min(100 * done.bytes // size, 100), 100))
        (whole / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(draft / file, whole / file)  # away from the library's notes, which are no part of the data
    return whole / files[0] if len(files) == 1 else whole
