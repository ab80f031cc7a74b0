"""A small file that would become a huge one is refused early, whatever it is packed with."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from annotation.formats import streams
from annotation.formats.base import Unreadable
from annotation.formats.streams import rows

RECORD = json.dumps({"question": "who " * 250}).encode() + b"\n"


def test_a_gzip_bomb_is_refused_before_it_fills_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE", 1 << 20)
    bomb, seen = tmp_path / "bomb.jsonl.gz", []
    with gzip.open(bomb, "wb", 9) as out:
        for _ in range(20):
            out.write(RECORD * 1000)
    with pytest.raises(Unreadable, match="unpacks to more than 200 times its size"):
        seen.extend(row.number for row in rows(bomb))
    assert bomb.stat().st_size < 200_000
    assert len(seen) < 5000


def test_a_bomb_within_a_bomb_stays_packed(tmp_path: Path) -> None:
    nested = tmp_path / "nested.gz"
    nested.write_bytes(gzip.compress(gzip.compress(RECORD * 1000)))
    with pytest.raises(Unreadable):
        list(rows(nested))


def test_a_parquet_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE", 1 << 20)
    file = tmp_path / "bomb.parquet"
    table = pyarrow.table({"question": pyarrow.array(["who " * 2500] * 3_000).dictionary_encode()})
    pyarrow.parquet.write_table(table, file, compression="zstd")
    with pytest.raises(Unreadable, match="unpacks to more than 200 times"):
        list(rows(file))


def test_what_packs_well_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE", 0)
    good = tmp_path / "good.jsonl.gz"
    with gzip.open(good, "wb") as out:
        for k in range(3000):
            out.write(
                json.dumps({"question": f"Which well number {k * 7919}?", "context": "the same " * 20}).encode() + b"\n"
            )
    assert sum(1 for _ in rows(good)) == 3000
