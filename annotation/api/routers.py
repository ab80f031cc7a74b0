"""URLs of ViewSets below `/api/v1/`, with former URLs as aliases."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLPattern, path
from rest_framework.routers import DynamicRoute, Route, SimpleRouter

API = "api/v1/"
PROJECT = f"{API}projects/<slug:slug>/"
ONE = {"get": "retrieve", "post": "decide_one", "put": "update", "patch": "partial_update", "delete": "destroy"}
SINGLE = ONE | {"post": "create"}
LIST = {"get": "list", "post": "create", "put": "replace"}


class ProjectRouter(SimpleRouter):
    """Registers ViewSets below a project; names are `api-…-list`, `api-…` and `api-…-<action>`.

    `aliases` are {former URL prefix below the project: current prefix}, each with a trailing slash. Routes of the
    current prefix are served under the former one too; the schema has the current one only.
    """

    routes = [
        Route("{prefix}/", LIST, "api-{basename}-list", detail=False, initkwargs={"suffix": "List"}),
        DynamicRoute("{prefix}/{url_path}/", "api-{basename}-{url_name}", detail=False, initkwargs={}),
        Route("{prefix}/{lookup}/", ONE, "api-{basename}", detail=True, initkwargs={"suffix": "Instance"}),
        DynamicRoute("{prefix}/{lookup}/{url_path}/", "api-{basename}-{url_name}", detail=True, initkwargs={}),
    ]
    single_routes: list[Route | DynamicRoute] = [
        Route("{prefix}/", SINGLE, "api-{basename}", detail=True, initkwargs={"suffix": "Instance"}),
        DynamicRoute("{prefix}/{url_path}/", "api-{basename}-{url_name}", detail=True, initkwargs={}),
    ]

    def __init__(self, base: str = PROJECT, aliases: Mapping[str, str] | None = None) -> None:
        super().__init__(use_regex_path=False)
        self.base, self.aliases = base, dict(aliases or {})

    def register(self, prefix: str, viewset: Any, basename: str | None = None) -> None:
        super().register(self.base + prefix, viewset, basename)

    def get_routes(self, viewset: Any) -> list[Route]:
        kept, self.routes = self.routes, self.single_routes if viewset.single else self.routes
        try:
            found: list[Route] = super().get_routes(viewset)
        finally:
            self.routes = kept
        return found

    def get_urls(self) -> list[Any]:  # URLPatterns
        pages: list[Any] = super().get_urls()
        return [*pages, *self._aliased(pages)]

    def _aliased(self, pages: list[URLPattern]) -> Iterator[URLPattern]:
        for old, new in self.aliases.items():
            for page in pages:
                route = str(page.pattern)
                if route.startswith(self.base + new):
                    yield path(self.base + old + route.removeprefix(self.base + new), _same(page.callback, route))


def _same(view: Any, route: str) -> Any:
    """The view of `route` under a former URL, hidden from the schema."""

    def alias(request: Any, **parts: Any) -> Any:
        return view(request, **parts)

    alias.csrf_exempt = True  # type: ignore[attr-defined]  # as DRF's views are: its session authentication checks
    alias.alias_of = route  # type: ignore[attr-defined]  # for the schema
    return alias
