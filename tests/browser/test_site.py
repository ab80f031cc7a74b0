"""Nothing that stands beside the browser is waited for without a limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.utils.functional import SimpleLazyObject

from tests.browser import site
from tests.browser.site import Site
from tests.browser.watchdog import stacks


@pytest.mark.parametrize(("script", "said"), [("input(); input()", "said nothing about draft"), ("input()", "ended")])
def test_a_process_that_does_not_answer_is_named(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "LONGEST", 0.5 if "nothing" in said else 30)
    made = Site.__new__(Site)
    made.installation = SimpleNamespace(log=lambda name: f"what {name} says")  # type: ignore[assignment]
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as made._process:
        with pytest.raises(AssertionError, match=rf"{said}[\s\S]*what server_side.log says"):
            made.ask("draft")
        made._process.kill()


def test_what_cannot_be_made_does_not_keep_the_watchdog_from_looking() -> None:
    lazy = SimpleLazyObject(lambda: 1 / 0)
    assert isinstance(stacks(), str)
    assert lazy._wrapped is not None  # type: ignore[attr-defined]  # it was there to be looked at
