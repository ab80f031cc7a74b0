"""What in a page's HTML was not put there by a template of ours."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

STRANGE = {
    "animate", "applet", "audio", "base", "embed", "frame", "frameset", "iframe", "image", "marquee", "math", "object",
    "portal", "source", "style", "video",
}  # fmt: skip
NEVER = ("srcdoc", "http-equiv", "formaction", "hx-vals", "shadowrootmode", "style")
ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "data", "srcset", "poster", "hx-get", "hx-post"}
EVALUATED = str(79_190_000_019 + 79_070_000_033)  # long enough that no id or time has it by chance


class Page(HTMLParser):
    """`found` names each element and attribute that no page of ours has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.found += [f"<{tag} {what}>" for what in self._strange(tag, given)]
        if tag in STRANGE or "hopx" in tag or "<" in tag:
            self.found.append(f"<{tag}>")

    def _strange(self, tag: str, given: dict[str, str]) -> list[str]:
        names = [
            name for name in given if name.startswith(("on", "hx-on", "data-hx")) or "hopx" in name or name == "style"
        ]
        names += [name for name in ("id", "name") if given.get(name, "").startswith("hopx")]
        names += [name for name in NEVER if name in given]
        names += [name for name in ADDRESSES & given.keys() if not self._harmless(tag, name, given[name])]
        if tag == "script" and not given.get("src", "").startswith("/static/") and "json" not in given.get("type", ""):
            names.append("inline")
        return names

    def _harmless(self, tag: str, name: str, address: str) -> bool:
        if tag in {"script", "link", "img"} or name not in {"href", "action", "hx-get", "hx-post"}:
            return address.startswith(("/static/", "data:image/svg+xml")) and "hopx" not in address
        parts = urlsplit(address.strip())
        if tag == "a":
            return parts.scheme in {"", "http", "https", "mailto"} and not (parts.netloc and not parts.scheme)
        return not parts.scheme and not parts.netloc

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")


def injected(html: str) -> list[str]:
    """The foreign elements, attributes and evaluated expressions of a page."""
    page = Page()
    page.feed(html)
    page.close()
    return page.found + ([EVALUATED] if EVALUATED in html else [])
