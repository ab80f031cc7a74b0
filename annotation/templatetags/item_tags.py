"""Items of a batch share most of their page: it is rendered once, and then only what differs for each of them."""

import re
from collections import defaultdict
from html import escape
from typing import Any, NamedTuple

from django import template
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.base import FilterExpression
from django.template.context import make_context
from django.template.loader import get_template
from django.template.loader_tags import BLOCK_CONTEXT_KEY, BlockContext
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = template.Library()
COLLECTED = "_per_item"  # the context variable with the parts found so far, while a shared page is made
PLACE = re.compile("\0(\\w+)\0")  # of a value, or of a part by its number; no template has this character
INDENT = re.compile(r"\n\s+")
KEPT = 500  # shared pages in a process, and parts of pages


def without_indent(source: str) -> str:
    """A template that was rendered without what stands in its places, without what only readers of templates want."""
    return INDENT.sub("\n", source)


def place_of(name: object) -> str:
    """What stands on a shared page for a value that differs."""
    return f"\0{name}\0"


class PerItem(template.Node):
    """The content between `{% per_item %}` and `{% endper_item %}`."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        parts = context.get(COLLECTED)
        if parts is None:
            return self.nodelist.render(context)
        parts.append(self.nodelist)
        return SafeString(place_of(len(parts) - 1))


@register.tag
def per_item(parser: template.base.Parser, _token: template.base.Token) -> PerItem:
    """Mark what may differ between two items of a batch. It sees the variables of the page, none of a tag around it."""
    nodelist = parser.parse(("endper_item",))
    parser.delete_first_token()
    return PerItem(nodelist)


class Once(template.Node):
    """The content between `{% once KEY ... for NAME ... %}` and `{% endonce %}`."""

    def __init__(
        self, nodelist: template.NodeList, keys: list[FilterExpression], names: list[FilterExpression]
    ) -> None:
        self.nodelist, self.keys, self.names = nodelist, keys, names

    def render(self, context: template.Context) -> SafeString:
        keys = [each.resolve(context) for each in self.keys]
        if not keys[0]:
            return self.nodelist.render(context)
        values = [conditional_escape(each.resolve(context)) for each in self.names]
        pieces = list(_texts_around(self, context, (get_language(), *map(str, keys))))
        pieces[1::2] = [values[int(place)] for place in pieces[1::2]]
        return mark_safe("".join(pieces))  # noqa: S308 - of templates, and of values that are escaped here

    def with_places(self, context: template.Context) -> str:
        """The content with a place for each of the names."""
        other: dict[str, Any] = {}
        for number, name in enumerate(map(str, self.names)):
            variable, dot, attribute = name.partition(".")
            other[variable] = context[variable] | {attribute: place_of(number)} if dot else place_of(number)
        with context.push(**other):
            return self.nodelist.render(context)


_once: dict[tuple[Once, tuple[str | None, ...]], list[str]] = {}


def _texts_around(node: Once, context: template.Context, keys: tuple[str | None, ...]) -> list[str]:
    """Texts, and between them the numbers of names."""
    if (node, keys) not in _once:
        if len(_once) >= KEPT:
            _once.clear()
        _once[node, keys] = PLACE.split(node.with_places(context))
    return _once[node, keys]


@register.tag
def once(parser: template.base.Parser, token: template.base.Token) -> Once:
    """Render the content once for each language and value of the keys, and then fill in the values of the names.

    The keys determine all but these; with a first key that is empty the content is rendered each time. A name is a
    variable, or an entry of a dict.
    """
    given = [parser.compile_filter(each) for each in token.split_contents()[1:]]
    at = [str(each) for each in given].index("for")
    nodelist = parser.parse(("endonce",))
    parser.delete_first_token()
    return Once(nodelist, given[:at], given[at + 1 :])


class SharedPage(NamedTuple):
    """A page's texts and the places between them, its parts and the blocks that these may contain."""

    template: template.Template
    texts: list[str]
    places: list[str]
    parts: list[template.NodeList]
    blocks: dict[str, list[Any]]


_kept: dict[tuple[template.Template, str], SharedPage] = {}


def render_item(
    name: str,
    context: dict[str, Any],
    request: HttpRequest,
    *,
    shared: dict[str, Any],
    values: dict[str, object],
    key: str,
) -> SafeString:
    """The page of an item; what stands outside of `per_item` is rendered once for each key.

    `shared`: all variables that this gets, with `place_of` each of the `values`. The key determines them as far as it
    uses them.
    """
    found = get_template(name).template  # type: ignore[attr-defined]  # Django's engine, of which we have no other
    page = _kept.get((found, key))
    if page is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        page = _kept[found, key] = _shared_page(found, shared, request)
    texts = {name: escape(str(value)) for name, value in values.items()} | {"csrf_token": get_token(request)}
    return _filled(page, make_context(context, request), texts)


def _shared_page(found: template.Template, shared: dict[str, Any], request: HttpRequest) -> SharedPage:
    parts: list[template.NodeList] = []
    context = make_context(shared | {COLLECTED: parts, "csrf_token": place_of("csrf_token")}, request)
    with context.render_context.push_state(found), context.bind_template(found):
        rendered = PLACE.split(without_indent(found.nodelist.render(context)))
        block_context = context.render_context.get(BLOCK_CONTEXT_KEY) or BlockContext()
    blocks = {name: list(nodes) for name, nodes in block_context.blocks.items()}
    return SharedPage(found, rendered[::2], rendered[1::2], parts, blocks)


def _filled(page: SharedPage, context: template.Context, texts: dict[str, str]) -> SafeString:
    with context.render_context.push_state(page.template), context.bind_template(page.template):
        own = BlockContext()  # blocks are taken out of it while they are rendered, so threads must not share one
        own.blocks = defaultdict(list, {name: list(nodes) for name, nodes in page.blocks.items()})
        context.render_context[BLOCK_CONTEXT_KEY] = own
        texts |= {str(number): part.render(context) for number, part in enumerate(page.parts)}
    pieces = [*page.texts, *page.places]
    pieces[::2], pieces[1::2] = page.texts, [texts[place] for place in page.places]
    return mark_safe("".join(pieces))  # noqa: S308 - all of it comes from templates, which escaped it
