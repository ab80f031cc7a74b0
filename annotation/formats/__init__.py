"""The file formats by the names that `--format` takes."""

from __future__ import annotations

from annotation.formats.base import Format
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.jsonl import Jsonl
from annotation.formats.musique import MuSiQue

FORMATS: dict[str, Format] = {kind.name: kind for kind in (HotpotQA(), MuSiQue(), Jsonl())}
