"""Datasets: import from files or records, derive, read, and export."""

from __future__ import annotations

import builtins
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hopscribe_client.connection import Collection, Connection, Named
from hopscribe_client.jobs import Job, Jobs
from hopscribe_client.rows import Rows

Records = Iterable[Mapping[str, Any]]


class Dataset(Named):
    """A dataset as last loaded; `facts` is the complete response of the server."""

    PATH = "datasets/{name}/"

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {self.size} items>"

    @property
    def size(self) -> int:
        return int(self.facts["size"])

    def items(self, **filters: Any) -> Rows:
        """The items with their gold: `q` (text), `hops`, `shape`, `answerable`."""
        return Rows(lambda: self._connection.pages(f"{self._path}items/", filters), f"items of {self.name}")

    def derive(self, how: str, *, name: str, seed: int = 1, **options: Any) -> list[Dataset]:
        """Derive datasets from this one (`hopscribe.datasets.derivations()` says how), and wait for them."""
        body = {"how": how, "source": self.name, "name": name, "seed": seed, "options": options}
        reply = self._connection.write("POST", f"{self._root}derivations/", body)
        job = Jobs(self._connection, self._root).of(reply).wait()
        known = Datasets(self._connection, self._root)
        return [known[each] for each in job.result["datasets"]]

    def change(self, **about: Any) -> Dataset:
        """Change its `licence`, `source`, `ethics` and `consent`, or set `archived`."""
        self.facts = self._connection.write("PATCH", self._path, about)
        return self

    def export(self, format: str, to: str | Path) -> Path:
        """Write the dataset to a file of a format."""
        return download(self._connection, f"{self._path}export/{format}/", to)

    def document(self, kind: str, to: str | Path) -> Path:
        """Write its `provenance`, `datasheet` or `card` to a file."""
        return download(self._connection, f"{self._path}documents/{kind}/", to)

    def remove(self) -> Job:
        """Hide it now, and erase it in 30 days."""
        return Jobs(self._connection, self._root).of(self._connection.write("DELETE", self._path))


def download(connection: Connection, path: str, to: str | Path, **query: str) -> Path:
    """Download to a file, which appears only once it is complete."""
    target = Path(to)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as part:
        try:
            connection.download(path, part, query)
            part.close()
            Path(part.name).replace(target)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    return target


class Datasets(Collection):
    """The datasets of the project, newest first."""

    def __repr__(self) -> str:
        return f"<Datasets of {self._root}: iterate, ['name'], .list(), .add(source, name=), .derivations()>"

    def __iter__(self) -> Iterator[Dataset]:
        return self.list()

    def list(self, *, q: str | None = None, format: str | None = None, how: str | None = None) -> Iterator[Dataset]:
        """Datasets with `q` in the name, of a format, or of a derivation."""
        for facts in self._connection.pages(f"{self._root}datasets/", {"q": q, "format": format, "how": how}):
            yield Dataset(self._connection, self._root, facts)

    def __getitem__(self, name: str) -> Dataset:
        return Dataset(self._connection, self._root, {"name": name}).refresh()

    def derivations(self) -> Rows:
        """The derivations, with their options."""
        return Rows(lambda: self._connection.pages(f"{self._root}derivations/"), "derivations")

    ways = derivations  # former name, still accepted

    def add(
        self,
        source: str | Path | Records,
        *,
        name: str,
        format: str | None = None,
        map: Mapping[str, str | builtins.list[str]] | None = None,
        **more: Any,
    ) -> Dataset:
        """Import a file, or records in the format jsonl, and wait until the import is complete.

        `map`: what the columns of other files or records hold, such as `{"question": "q", "paragraph": "passage_*"}`.
        `more`: licence, source, skip_bad. The same content under the same name changes nothing. Raises JobFailed, whose
        `job.result` is the report of errors.
        """
        more |= {"map": json.dumps(map)} if map else {}
        if isinstance(source, str | Path):
            self._upload(Path(source), name=name, format=format, file_name=Path(source).name, **more)
            return self[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.jsonl"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in source)
            self._upload(path, name=name, format=format or (None if map else "jsonl"), file_name=path.name, **more)
        return self[name]

    def _upload(self, path: Path, **query: Any) -> Job:
        reply = self._connection.upload(f"{self._root}datasets/", path, query)
        return Jobs(self._connection, self._root).of(reply).wait()
