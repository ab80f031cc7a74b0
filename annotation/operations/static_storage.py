"""Static files: hashed names also inside ES modules, compressed once, cached for a year."""

from collections.abc import Iterator
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

UNUSED = "django_htmx/ext/"  # htmx's extensions: their type comments look like imports of files that are not there


class Storage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        used = {name: path for name, path in paths.items() if not name.startswith(UNUSED)}
        yield from super().post_process(used, *args, **options)
