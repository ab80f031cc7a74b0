"""A requester makes a batch of ratings: a rubric is built by keys, or corrected as text, uploaded and used again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.rated import SAME
from tests.browser.site import Site

YAML = "show: [question]\ncriteria:\n  - {name: fine, ask: Is it fine, choice: [yes, no]}\n"


def test_a_rubric_is_pasted_corrected_uploaded_and_previewed(site: Site, visit: Callable[..., Any]) -> None:
    batch = site.batch("rated", options={"rubric": SAME}, task="rate")
    page = visit(site.ask("requester", batch=batch["batch"])["session"])
    page.goto(f"/projects/{batch['project']}/batches/new/")
    page.locator("input[name=datasets]").first.check()
    page.get_by_label("Title shown").fill("Ratings")
    page.locator("input[name=task][value=rate]").check()
    rubric = page.locator("#id_option-rubric")
    page.get_by_text("As text", exact=True).click()
    expect(rubric).to_be_visible()
    rubric.fill(json.dumps(SAME | {"show": ["nothing"]}))
    rubric.blur()
    expect(page.locator("#id_option-rubric_error")).to_contain_text("show[0]: Items have no field “nothing”")
    page.locator("#id_option-rubric-file").set_input_files(
        {"name": "rubric.yaml", "mimeType": "text/yaml", "buffer": YAML.encode()}
    )
    expect(rubric).to_have_value(YAML)
    expect(page.locator("#id_option-rubric_error")).to_have_text("")
    page.get_by_text("Preset, earlier batch or file").click()
    page.locator("#id_again").select_option("study")
    expect(rubric).to_have_value(json.dumps(SAME, ensure_ascii=False, indent=1))
    expect(page.locator("#consequences")).to_contain_text("The rubric shows “answer”")
    page.get_by_role("button", name="Preview items").click()
    page.wait_for_url("**/preview/**")
    expect(page.locator("legend").first).to_contain_text("Does the candidate mean the same?")
