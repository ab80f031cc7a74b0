"""Nothing that stands beside the browser is waited for without a limit."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
from django.utils.functional import SimpleLazyObject

from tests.browser import site
from tests.browser.site import Site
from tests.browser.watchdog import stacks


@pytest.mark.parametrize(("script", "said"), [("input(); input()", "said nothing about draft"), ("input()", "ended")])
def test_a_process_that_does_not_answer_is_named(script: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "LONGEST", 0.5 if "nothing" in said else 30)
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as process:
        made = beside(process)
        with pytest.raises(AssertionError, match=rf"{said}[\s\S]*what server_side.log says"):
            made.ask("draft")
        process.kill()
        made._listener.join()


def test_an_answer_that_came_too_late_is_not_taken_for_that_to_the_next_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = "for line in [input(), input()]: print(line.replace('verb', 'found'), flush=True)"
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as process:
        made = beside(process)
        monkeypatch.setattr(site, "LONGEST", 0)
        with pytest.raises(AssertionError, match="said nothing about furnish"):
            made.ask("furnish")
        monkeypatch.setattr(site, "LONGEST", 30)
        assert made.ask("draft") == "draft"
        made._listener.join()


def beside(process: subprocess.Popen[str]) -> Site:
    """A site that asks this process."""
    made = Site.__new__(Site)
    made.installation = SimpleNamespace(log=lambda name: f"what {name} says")  # type: ignore[assignment]
    made.listen_to(process)
    return made


def test_what_cannot_be_made_does_not_keep_the_watchdog_from_looking() -> None:
    lazy = SimpleLazyObject(lambda: 1 / 0)
    assert isinstance(stacks(), str)
    assert lazy._wrapped is not None  # type: ignore[attr-defined]  # it was there to be looked at
