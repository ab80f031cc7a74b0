"""A file is dropped on the import page, its columns are mapped, and the preview follows, also without scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import broken

TABLE = "q,ans,text\nWho dug the well?,Mara,Mara dug the well of Farrow.\nWhere is it?,Farrow,It is in Farrow.\n"
DROP = """
    ([text, name]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type: "text/csv" }));
      return data;
    }
"""


def import_page(furnished: dict[str, Any]) -> str:
    return str(furnished["urls"]["datasets"]) + "new/"


def mapped(page: Page) -> None:
    """Map the columns otherwise, look at the preview, and map them back."""
    expect(page.get_by_role("heading", level=1)).to_have_text("Map the columns of Own table.csv")
    expect(page.locator("#preview article h3").first).to_have_text("Who dug the well?")
    page.get_by_label("q", exact=True).select_option(label="Keep as additional data")
    page.get_by_label("ans", exact=True).select_option(label="Question")


def test_a_dropped_file_is_mapped_with_a_preview_that_follows(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    page.goto(import_page(furnished))
    dropped = {"dataTransfer": page.evaluate_handle(DROP, [TABLE, "Own table.csv"])}
    expect(page.get_by_text("Or drop it here.")).to_be_visible()
    page.dispatch_event("[data-drop]", "dragover", dropped)
    page.dispatch_event("[data-drop]", "drop", dropped)
    expect(page.get_by_label("Name")).to_have_value("own-table")
    page.get_by_role("button", name="Import").click()
    mapped(page)
    expect(page.locator("#preview article h3").first).to_have_text("Mara")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert broken(page) == []


def test_columns_are_mapped_by_keyboard_and_without_scripts(
    visit: Callable[..., Any], furnished: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "Own table.csv").write_text(TABLE)
    page = visit(furnished["sessions"]["alice"], java_script_enabled=False)
    page.goto(import_page(furnished))
    expect(page.get_by_text("Or drop it here.")).to_be_hidden()
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "Own table.csv")
    page.get_by_role("button", name="Import").press("Enter")
    mapped(page)
    page.get_by_role("button", name="Update the preview").press("Enter")
    expect(page.locator("#preview article h3").first).to_have_text("Mara")
