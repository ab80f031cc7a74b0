"""QR codes for pages."""

from typing import Any

import segno
from django.utils.safestring import SafeString

LOOK: dict[str, Any] = {"border": 4, "light": "#fff"}  # with the margin that scanners need, white in dark pages too


def as_svg(text: str) -> SafeString:
    """An SVG element without styles, which the Content-Security-Policy would refuse."""
    return SafeString(segno.make_qr(text, error="m").svg_inline(scale=4, svgclass=None, lineclass=None, **LOOK))


def as_data_uri(text: str) -> str:
    """A `data:` address for an image."""
    return str(segno.make_qr(text, error="m").svg_data_uri(scale=5, **LOOK))
