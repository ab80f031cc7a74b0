"""The file formats by the names that `--format` takes."""

from __future__ import annotations

from annotation.formats.base import Format
from annotation.formats.csv import Csv
from annotation.formats.dire import DiRe
from annotation.formats.disconnection import Disconnection
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.jsonl import Jsonl
from annotation.formats.musique import MuSiQue
from annotation.formats.race import Race
from annotation.formats.squad import Squad
from annotation.formats.subqa import SubQA
from annotation.formats.twowiki import TwoWiki

_ALL: tuple[Format, ...] = (
    HotpotQA(), TwoWiki(), MuSiQue(), Squad(), Race(), Jsonl(), Csv(), DiRe(), SubQA(), Disconnection(),
)  # fmt: skip

FORMATS: dict[str, Format] = {each.name: each for each in _ALL}
