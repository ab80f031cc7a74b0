"""Every `sh` and `python` block of the README and the guides runs as it stands there, in order, in an installation.

What a guide takes for granted (datasets, projects, money) is made by tests/guides/given.py, and the files that it
names by tests/guides/files.py. Blocks that cannot run here say why in an invisible comment (tests/guides/blocks.py);
each is a skip, so that every run lists them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guides.blocks import Block, blocks_of, guides, printed_rows, unlabelled
from tests.guides.files import publish, write_files
from tests.guides.given import GIVEN
from tests.guides.script import script_of
from tests.hub import double
from tests.long_forms import first
from tests.process.installation import ROOT, Installation

GUIDES = {guide.relative_to(ROOT).as_posix(): list(blocks_of(guide, ROOT)) for guide in guides(ROOT)}
RUN = [name for name in GUIDES if any(not block.not_run for block in GUIDES[name])]
ADDRESSES = (
    "http://localhost:8000",
    "http://127.0.0.1:8000",
    "https://hopscribe.lab.example",
    "https://hopscribe.example.org",
    "https://lab.example",
)
CHECKOUT = ("manage.py", "Makefile", "deploy", "docs", "requirements.lock")


class Reader:
    """Somebody who goes through a guide with a checkout, an installation and some files."""

    def __init__(self, folder: Path, migrated: Path, static: Path) -> None:
        self.folder = folder / "checkout"
        self.folder.mkdir()
        (folder / "var").mkdir()
        database = folder / "var/hopscribe.sqlite3"
        shutil.copyfile(migrated, database)
        self.installation = Installation(folder / "var", f"sqlite:///{database}", static=static, ready=True)
        for name in CHECKOUT:
            (self.folder / name).symlink_to(ROOT / name)
        bin = self.folder / ".venv/bin"
        steps = {"STEPS_PYTHON": str(bin / "python"), "STEPS_ROOT": str(ROOT), "FOLDER": str(self.folder)}
        self.installation.environment |= {"PATH": f"{bin}:{os.environ['PATH']}"} | steps
        self.installation.put_python(bin)
        installed = bin / "hopscribe"
        installed.write_text(f'#!/bin/sh\nPYTHONPATH="$STEPS_ROOT" exec "{sys.executable}" -m hopscribe "$@"\n')
        installed.chmod(0o755)
        write_files(self.folder)

    def go_through(self, blocks: list[Block]) -> str:
        """What the blocks print; raises AssertionError naming the first that fails, with all that was said."""
        self.installation.preload()
        stands_for = self._given(blocks[0].guide)
        url = f"http://127.0.0.1:{self.installation.port}"
        text = script_of(blocks, {**stands_for, **dict.fromkeys(ADDRESSES, url)})
        if url in text:
            self.installation.start_web(workers=1)
        return self.run(text)

    def run(self, text: str) -> str:
        with double.serving() as hub:
            publish(hub, self.folder)
            return self._run(text, {"HF_ENDPOINT": hub.address, "HF_TOKEN": double.TOKEN, "HF_HUB_DISABLE_XET": "1"})

    def _run(self, text: str, hub: dict[str, str]) -> str:
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=self.folder,
            env={**self.installation.environment, **hub},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout[-6000:]
        for noise in ("Traceback", " DEBUG "):
            assert noise not in done.stdout, done.stdout[-6000:]
        return done.stdout

    def _given(self, guide: str) -> dict[str, str]:
        if guide not in GIVEN:
            return {}
        result = self.installation.run(["-m", "tests.guides.given", str(self.folder), guide])
        return dict(json.loads(result.splitlines()[-1]))


@pytest.fixture
def reader(tmp_path: Path, migrated: Path, static: Path) -> Iterator[Reader]:
    made = Reader(tmp_path, migrated, static)
    yield made
    made.installation.close()


# What a newcomer reads first; the other guides run in the soak.
EVERY_RUN = ("README.md", "docs/tutorial.md")


@pytest.mark.parametrize("guide", first(len(EVERY_RUN), sorted(RUN, key=lambda guide: guide not in EVERY_RUN)))
def test_the_examples_of_a_guide_run_as_they_stand(reader: Reader, guide: str) -> None:
    result = reader.go_through(GUIDES[guide])
    assert result.count("== ") >= sum(not block.not_run for block in GUIDES[guide])
    for cells in printed_rows(ROOT / guide):
        assert re.search(r"[^\n]* ".join(map(re.escape, cells)), result), f"{guide} says {cells}, which was not printed"


@pytest.mark.parametrize(
    "block", [block for blocks in GUIDES.values() for block in blocks if block.not_run], ids=lambda block: block.place
)
def test_an_example_that_cannot_run_here_says_why(block: Block) -> None:
    assert len(block.not_run) > 10
    pytest.skip(f"{block.place} is not run: {block.not_run}")


def test_no_command_hides_in_a_block_without_a_language() -> None:
    hidden = [f"{guide.name}: {line}" for guide in guides(ROOT) for line in unlabelled(guide)]
    assert not hidden, "\n".join(hidden)


@pytest.mark.parametrize(
    "block",
    first(1, ["false | cat", "manage.py no_such_command", ".venv/bin/python manage.py create_batch b --dataset a b"]),
)
def test_an_example_that_does_not_run_is_named(reader: Reader, block: str) -> None:
    with pytest.raises(AssertionError, match=r"here\.md:7: this failed"):
        reader.run(script_of([Block("here.md", 7, "sh", block)], {}))


def test_a_python_example_that_does_not_run_is_named(reader: Reader) -> None:
    with pytest.raises(AssertionError, match=r"here\.md:7: this failed(?s:.*)NameError|NameError(?s:.*)here\.md:7"):
        reader.run(script_of([Block("here.md", 7, "python", "print(nobody)")], {}))
