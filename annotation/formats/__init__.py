"""The file formats by the names that `--format` takes: each module here with a FORMAT."""

from annotation.formats.base import Format
from annotation.pure.discovery import offered

FORMATS: dict[str, Format] = {each.name: each for each in offered(__name__, "FORMAT")}
