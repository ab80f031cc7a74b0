"""Objects as people write them: JSON, or YAML where its library is there.

YAML's yes, no, on and off, and its dates, stay texts. Aliases are refused: a few lines of them become gigabytes.
"""

import hashlib
import json
import re
from typing import Any

from annotation.pure.text.translation_marks import gettext_noop as _

WRONG = _("This is neither JSON nor YAML: line %(line)s, column %(column)s: %(why)s.")
NO_YAML = _(
    "This is not JSON: line %(line)s, column %(column)s: %(why)s. "
    "For YAML the server needs another package: pip install pyyaml"
)
NO_OBJECT = "Enter a valid JSON."  # Django's own text
LONGEST = 1_000_000


class NotStructured(ValueError):
    """A text is no object or list: `message` is a gettext id with `values`."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values


def read(text: str) -> Any:
    """The object or list in a text. Raises NotStructured with the line."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as broken:
        found = _of_yaml(text, broken)
    except RecursionError:
        found = None
    if not isinstance(found, dict | list):
        raise NotStructured(NO_OBJECT)
    return found


def digest(value: Any) -> str:
    """SHA-256 of an object's JSON in one form: sorted keys, no white space, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def yaml_library() -> Any:
    """The package that reads YAML, which is an extra and slow to load; None where it is not installed."""
    try:
        import yaml
    except ModuleNotFoundError:
        return None
    return yaml


def _of_yaml(text: str, broken: json.JSONDecodeError) -> Any:
    told = {"line": broken.lineno, "column": broken.colno, "why": broken.msg}
    if (yaml := yaml_library()) is None:
        raise NotStructured(NO_YAML, **told)
    is_json = text.lstrip().startswith(("{", "["))
    try:
        return json.loads(json.dumps(_loader(yaml)(text[:LONGEST]).get_single_data()))
    except yaml.MarkedYAMLError as wrong:
        if (mark := wrong.problem_mark) and not is_json:
            told = {"line": mark.line + 1, "column": mark.column + 1, "why": wrong.problem or wrong.context}
        raise NotStructured(WRONG, **told) from None
    except yaml.YAMLError as wrong:
        raise NotStructured(WRONG, **told | {"why": str(wrong).splitlines()[0]}) from None
    except (ValueError, TypeError, RecursionError):
        raise NotStructured(WRONG, **told) from None


def _loader(yaml: Any) -> Any:
    """The reader of plain values; of booleans only true and false."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # an extra, loaded where it is needed
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "aliases are not read", self.peek_event().start_mark)
            return super().compose_node(parent, index)

    kept = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":timestamp"))]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    truths = ("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"))
    Loader.yaml_implicit_resolvers = {**kept, **{first: [truths, *kept.get(first, [])] for first in "tf"}}
    return Loader
