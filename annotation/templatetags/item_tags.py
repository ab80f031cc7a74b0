"""Items of a batch share most of their page: it is rendered once, and then only what differs for each of them."""

from collections import defaultdict
from typing import Any, NamedTuple

from django import template
from django.http import HttpRequest
from django.template.context import make_context
from django.template.loader import get_template
from django.template.loader_tags import BLOCK_CONTEXT_KEY, BlockContext
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
COLLECTED = "_per_item"  # the context variable with the parts found so far, while a shared page is made
MARK = "\0"  # stands for a part; no template has this character
KEPT = 200  # shared pages in a process


class PerItem(template.Node):
    """The content between `{% per_item %}` and `{% endper_item %}`."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        if COLLECTED not in context:
            return self.nodelist.render(context)
        context[COLLECTED].append(self.nodelist)
        return SafeString(MARK)


@register.tag
def per_item(parser: template.base.Parser, _token: template.base.Token) -> PerItem:
    """Mark what may differ between two items of a batch. It sees the variables of the page, none of a tag around it."""
    nodelist = parser.parse(("endper_item",))
    parser.delete_first_token()
    return PerItem(nodelist)


class SharedPage(NamedTuple):
    """A page's text around the parts that differ, and those parts."""

    template: template.Template
    texts: list[str]
    parts: list[template.NodeList]
    blocks: dict[str, list[Any]]


_kept: dict[tuple[template.Template, str], SharedPage] = {}


def render_item(
    name: str, context: dict[str, Any], request: HttpRequest, *, shared: dict[str, Any], key: str
) -> SafeString:
    """The page of an item; what stands outside of `per_item` is rendered once for each key.

    `shared`: all variables that it gets. The key determines them as far as it uses them.
    """
    found = get_template(name).template
    page = _kept.get((found, key))
    if page is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        page = _kept[found, key] = _shared_page(found, shared, request)
    return _filled(page, make_context(context, request))


def _shared_page(found: template.Template, shared: dict[str, Any], request: HttpRequest) -> SharedPage:
    parts: list[template.NodeList] = []
    context = make_context(shared | {COLLECTED: parts}, request)
    with context.render_context.push_state(found), context.bind_template(found):
        texts = found.nodelist.render(context).split(MARK)
        block_context = context.render_context.get(BLOCK_CONTEXT_KEY) or BlockContext()
    return SharedPage(found, texts, parts, {name: list(nodes) for name, nodes in block_context.blocks.items()})


def _filled(page: SharedPage, context: template.Context) -> SafeString:
    with context.render_context.push_state(page.template), context.bind_template(page.template):
        own = BlockContext()  # blocks are taken out of it while they are rendered, so threads must not share one
        own.blocks = defaultdict(list, {name: list(nodes) for name, nodes in page.blocks.items()})
        context.render_context[BLOCK_CONTEXT_KEY] = own
        texts = iter(page.texts)
        pieces = [next(texts)]
        for part, text in zip(page.parts, texts, strict=True):
            pieces += part.render(context), text
    return mark_safe("".join(pieces))  # noqa: S308 - all of it comes from templates, which escaped it
