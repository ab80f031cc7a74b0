"""What a file is, told by its bytes: one that holds no records as text, and what to do about it; a text's encoding.

UTF-16 and UTF-32 are converted to UTF-8, and lines that are not UTF-8 are Windows-1252. Decode with `errors=ESCAPES`,
which keeps bytes that are not UTF-8 as lone surrogates, then call `repaired`.
"""

import codecs
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO

from annotation.formats.storable import Fault

Kind = tuple[str, str]  # what it is, what to do

_TAKE = "Give the data as CSV, JSON, JSON Lines or Parquet"
_CSV = "Save it as CSV (UTF-8), and give that file"
_UNPACK = "Unpack it, and give the file that is inside"
_LFS = "Fetch the file with `git lfs pull`, or download it from its page"
_ARROW = "Write it as Parquet, such as with to_parquet"
_SIGNS: Sequence[tuple[bytes, str, str]] = (
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself", _LFS),
    (b"/annex/objects/", "a pointer of git-annex, not the file itself", "Fetch the file with `git annex get`"),
    (b"%PDF", "a PDF document", _TAKE),
    (b"{\\rtf", "a document in rich text", _TAKE),
    (b"\x89PNG", "an image (PNG)", _TAKE),
    (b"\xff\xd8\xff", "an image (JPEG)", _TAKE),
    (b"GIF8", "an image (GIF)", _TAKE),
    (b"RIFF", "an image, sound or film", _TAKE),
    (b"II*\x00", "an image (TIFF)", _TAKE),
    (b"MM\x00*", "an image (TIFF)", _TAKE),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word document", _CSV),
    (b"SQLite format 3\x00", "an SQLite database", "Export the table as CSV"),
    (b"BZh", "packed with bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "packed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", _UNPACK),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x1f\x8b", "packed with gzip twice", "Unpack it once"),
    (b"ARROW1", "an Arrow or Feather file", _ARROW),
    (b"\xff\xff\xff\xff", "an Arrow stream, as `save_to_disk` writes it", _ARROW),
    (b"\x93NUMPY", "a NumPy array", _TAKE),
    (b"\x89HDF", "an HDF5 file", _TAKE),
    (b"ORC", "an ORC file", _TAKE),
    (b"Obj\x01", "an Avro file", _TAKE),
    (b"RDX", "an R workspace", "Write the table in R with write.csv"),
    (b"X\n\x00\x00\x00", "an object saved by R", "Write the table in R with write.csv"),
    (b"$FL2", "an SPSS file", _CSV),
    (b"<stata_dta>", "a Stata file", _CSV),
)  # fmt: skip
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_WEB = re.compile(rb"<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"<(\?xml|!doctype|[a-z][\w:.-]*[\s>/])", re.IGNORECASE)
_TAR = (257, b"ustar")
_CONTROLS = bytes({*range(32)} - set(b"\t\n\r\f"))
_MOST_CONTROLS = 0.05  # share of them in a text; in packed data they are a tenth
OFFICE = {"xl/": "an Excel workbook", "word/": "a Word document", "ppt/": "a PowerPoint presentation"}
WORKBOOK = OFFICE["xl/"]


def kind_of_bytes(head: bytes) -> Kind | None:
    """What a file with these first bytes (512 or more, if there are) is; None for text, Parquet and ZIP."""
    start = head.lstrip()
    for sign, what, fix in _SIGNS:
        if start.startswith(sign) or head.startswith(sign):
            return what, fix
    if _PICKLE.match(head):
        return "a pickled Python object", _TAKE
    if head[_TAR[0] :].startswith(_TAR[1]):
        return "a tar archive", _UNPACK
    if _XML.match(start):
        if _WEB.search(start[:1000]):
            return "a web page", "Download the file itself: the page may ask you to sign in, or only show the file"
        return "an XML file", _TAKE
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if head[:4].count(0) or (controls > _MOST_CONTROLS * len(head) and not _is_utf8(head)):
        return "binary data, not text", _TAKE
    return None


def _is_utf8(head: bytes) -> bool:
    """Whether it is UTF-8 text without NUL, perhaps cut within a character."""
    return 0 not in head and "\ufffd" not in codecs.getincrementaldecoder("utf-8")("replace").decode(head)


def kind_of_zip(file: BinaryIO) -> Kind:
    """What a file in ZIP's layout is."""
    try:
        with zipfile.ZipFile(file) as packed:
            names = [name for name in packed.namelist() if not name.endswith("/")]
            if packed_as := next((OFFICE[part] for part in OFFICE if any(name.startswith(part) for name in names)), ""):
                return packed_as, _CSV if packed_as == WORKBOOK else _TAKE
            if "mimetype" in names and b"opendocument.spreadsheet" in packed.read("mimetype")[:100]:
                return "a LibreOffice spreadsheet", _CSV
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return "a damaged ZIP archive", "Pack or fetch it again"
    inside = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    return "a ZIP archive", f"Unpack it, and give a file that is inside: {inside}" if names else "It is empty"


ESCAPES = "surrogateescape"
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_ESCAPED = re.compile("[\udc80-\udcff]")
_OTHERS = re.compile("[^\x00-\x7f\udc80-\udcff]")
_OF_WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
_SAMPLE = 400  # bytes
NOTE = Fault("text", "it is not UTF-8, and is read as Windows-1252", "", "If letters are wrong, save the file as UTF-8")


def wide_encoding(head: bytes) -> str:
    """The encoding of a text with two or four bytes a character, with or without a byte order mark; "" for others."""
    if known := next((name for mark, name in _BOMS.items() if head.startswith(mark)), ""):
        return known
    sample = head[: min(_SAMPLE, len(head) // 4 * 4)]
    zeros = [sample[at::4].count(0) * 4 > len(sample) * 0.6 for at in range(4)]
    patterns = {
        (False, True, True, True): "utf-32-le", (True, True, True, False): "utf-32-be",
        (False, True, False, True): "utf-16-le", (True, False, True, False): "utf-16-be",
    }  # fmt: skip
    return patterns.get(tuple(zeros), "") if sample else ""  # type: ignore[arg-type]  # four of them


class Recoded(io.RawIOBase):
    """The content of a stream in another encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = self._stream.read(1 << 16)
            self._rest = self._decoder.decode(block, not block).encode("utf-8")
            if not block:
                break
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def repaired(text: str) -> tuple[str, Fault | None]:
    """A decoded text without escaped bytes, and the note or, where UTF-8 and other bytes are mixed, the error."""
    if text.isascii() or not _ESCAPED.search(text):
        return text, None
    whole = text.translate(_OF_WINDOWS)
    if _OTHERS.search(text):
        return whole, Fault("text", "some of its letters are not UTF-8, and others are", "Save the file as UTF-8")
    return whole, NOTE


def first_escape(text: str) -> int:
    """The position of the first escaped byte."""
    found = _ESCAPED.search(text)
    return found.start() if found else len(text)
