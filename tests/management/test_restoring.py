"""A backup's way back: what is taken out of an archive, and what never is."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.management.conftest import Run, refused

pytestmark = pytest.mark.django_db


def archive(path: Path, *members: tuple[str, bytes]) -> Path:
    """An archive of files with those names; one that begins with "->" is a link to what it holds."""
    with tarfile.open(path, "w:gz") as made:
        for name, held in members:
            member = tarfile.TarInfo(name.removeprefix("->"))
            if name.startswith("->"):
                member.type, member.linkname = tarfile.SYMTYPE, held.decode()
                made.addfile(member)
            else:
                member.size = len(held)
                made.addfile(member, io.BytesIO(held))
    return path


def as_python_3_11_began(
    archive: tarfile.TarFile, path: Any = ".", members: Any = None, *, numeric_owner: Any = False
) -> None:
    raise NotImplementedError


def test_an_archive_opens_on_every_python_that_the_product_runs_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """extractall's filter came with 3.11.4, and Debian 12 has 3.11.2."""
    monkeypatch.setattr(tarfile.TarFile, "extractall", as_python_3_11_began)
    manifest = b'{"made_at": "", "files": {}, "engine": "%s"}' % connection.vendor.encode()
    refused(run("restore", archive(tmp_path / "whole.tar.gz", ("manifest.json", manifest))), "target is not empty")


@pytest.mark.parametrize(
    "member", [("../outside", b"x"), ("uploads/../../outside", b"x"), ("->uploads", b"/tmp"), ("/outside", b"x")]
)
def test_nothing_is_laid_outside_and_no_link_is_taken(run: Run, tmp_path: Path, member: tuple[str, bytes]) -> None:
    refused(
        run("restore", archive(tmp_path / "bad.tar.gz", member)),
        "is not a complete backup",
        member[0].removeprefix("->"),
    )
    assert not Path("/outside").exists()
