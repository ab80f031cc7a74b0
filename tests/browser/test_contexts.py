"""Contexts that tests share: what a test did to one is gone in the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.contexts import Contexts

MARKS = "() => { performance.mark('here'); return performance.getEntriesByName('here').length; }"


def test_the_clock_of_a_test_is_not_that_of_the_next(contexts: Contexts, visit: Callable[..., Any]) -> None:
    options = {"viewport": {"width": 801, "height": 600}}  # of contexts for this test alone
    visit(**options).clock.install(time=0)
    contexts.give_back()
    page = visit(**options)
    page.goto("/accounts/sign-in/")
    assert page.evaluate(MARKS) == 1
