"""`manage.py preregister`: a batch's preregistration from files."""

from __future__ import annotations

from pathlib import Path

from tests.management.conftest import Run


def test_a_batch_is_preregistered_from_files_and_shown(run: Run, study: Path, tmp_path: Path) -> None:
    (tmp_path / "h.md").write_text("Longer is harder.")
    (tmp_path / "a.md").write_text("A paired test.")
    assert "Nothing is registered" in run("preregister", "study").err
    assert "Still to write: Analysis" in run("preregister", "study", "--hypotheses", tmp_path / "h.md").err
    files = ("--hypotheses", tmp_path / "h.md", "--analysis", tmp_path / "a.md")
    made = run("preregister", "study", *files, "--json").document
    assert made["document"]["hypotheses"] == "Longer is harder."
    shown = run("preregister", "study")
    assert made["sha256"] in shown.out
    assert "No setting differs from it." in shown.out
    again = run("preregister", "study", *files)
    assert (again.code, "already" in again.err) == (1, True)
    (tmp_path / "h.md").write_bytes(b"\xff")
    assert "UTF-8" in run("preregister", "study", *files).err
