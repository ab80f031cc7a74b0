"""Reads a rendered form as a browser without scripts would send it."""

from __future__ import annotations

from html.parser import HTMLParser


class _Reader(HTMLParser):
    def __init__(self, form: str) -> None:
        super().__init__(convert_charrefs=True)
        self.fields: dict[str, list[str]] = {}
        self.action = ""
        self._form, self._inside = form, False
        self._area: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._inside = given.get("id") == self._form
            self.action = given.get("action") or "" if self._inside else self.action
        if tag == "option" and self._select and "selected" in given:
            self._add(self._select, given.get("value") or "")
        name = given.get("name")
        if not name or "disabled" in given or not (self._inside or given.get("form") == self._form):
            return
        if tag == "input" and self._is_sent(given):
            self._add(name, given.get("value") or ("on" if given.get("type") == "checkbox" else ""))
        elif tag == "textarea":
            self._area = name
            self._add(name, "")
        elif tag == "select":
            self._select = name

    def _is_sent(self, given: dict[str, str | None]) -> bool:
        kind = given.get("type") or "text"
        if kind in {"checkbox", "radio"}:
            return "checked" in given
        return kind not in {"submit", "button", "reset", "image", "file"}

    def _add(self, name: str, value: str) -> None:
        self.fields.setdefault(name, []).append(value)

    def handle_data(self, data: str) -> None:
        if self._area:
            value = self.fields[self._area]
            value[-1] += data if value[-1] else data.removeprefix("\n")  # as HTML drops the first line break

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        elif tag == "textarea":
            self._area = None
        elif tag == "select":
            self._select = None


def read_form(html: str, form: str = "work") -> tuple[str, dict[str, list[str]]]:
    """(action, fields) of the form with that id; every field with the values it would send."""
    reader = _Reader(form)
    reader.feed(html)
    return reader.action, reader.fields
