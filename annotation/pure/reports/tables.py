"""Tables of reports as text, for pages, quotes and the terminal.

A table is {"name", "title", "note", "columns", "rows"} and optionally "spans" [[words, columns]] over the
head, "of", the filter behind each row, "leads", False where no number is a link, "bars", False where no
bars are drawn, "in_order", True where rows follow each other, "variant", a gettext id that tells it from
another table of its title, "about", a cell that follows the title, and "kind", the key of its explanation
(`explanations`) if that is not its name.
A cell is text as it stands, a number, nothing, a figure {"value", "low", "high", "n"} in 0 to 1, or with "points" on
a scale of its own, a sentence {"text": gettext id, "values"}, or a requester's words {"own": a text, or texts by
language}.
`translate` turns gettext ids into the reader's language.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.text.languages import Text, worded
from annotation.pure.text.translation_marks import gettext_noop as _

Translate = Callable[[str], str]
Sentence = dict[str, Any]  # {"message": gettext id, "values"}, which `sentence` says
UNKNOWN = "–"
LANGUAGE = _("en")  # Translators: the code of your language, such as “de”
DIGITS = 10  # of a percentage in a file for programs: all that are exact, without the noise of a multiplication


def is_figure(cell: object) -> bool:
    return isinstance(cell, Mapping) and "value" in cell


def is_number(cell: object) -> bool:
    """Whether the cell is right-aligned: a number, a figure or empty."""
    return cell is None or is_figure(cell) or isinstance(cell, int | float)


def cell_text(cell: Any, translate: Translate = str) -> str:
    """A cell as one line of text; a dash for None."""
    if cell is None:
        return UNKNOWN
    if is_figure(cell):
        return f"{in_percent(cell)} {interval(cell)}".strip()
    if isinstance(cell, Mapping) and "own" in cell:
        return worded(cell["own"], translate(LANGUAGE))
    if isinstance(cell, Mapping):
        return sentence({"message": cell["text"], "values": cell.get("values", {})}, translate)
    if isinstance(cell, float):
        return with_minus(f"{round(cell, 3):g}" if abs(cell) < 1e6 else f"{cell:.0f}")
    return str(cell)


def in_percent(figure: Mapping[str, Any]) -> str:
    """{"value": 0.7801, ...} as "78.0", of points "0.78"; a dash if it is undefined."""
    return UNKNOWN if figure["value"] is None else _shown(figure, "value")


def _shown(figure: Mapping[str, Any], end: str) -> str:
    return with_minus(f"{round(figure[end], 2) + 0.0:.2f}" if figure.get("points") else _percent(figure[end]))


def with_minus(number: str) -> str:
    """A number as it is printed, with a minus instead of a hyphen."""
    return number.replace("-", "−")


def _percent(share: float) -> str:
    return f"{round(100 * share, 1) + 0.0:.1f}"  # 0.0 and -0.0 are both 0.0


def interval(figure: Mapping[str, Any]) -> str:
    """The interval of a figure as "[71.9, 83.6]"; "" if it is undefined."""
    if figure.get("low") is None or figure.get("high") is None:
        return ""
    return f"[{_shown(figure, 'low')}, {_shown(figure, 'high')}]"


def percent_with_interval(figure: Mapping[str, Any]) -> str:
    """ "78.0 % [71.9, 83.6]", without the interval if there is none, a dash if the figure is undefined."""
    return UNKNOWN if figure["value"] is None else f"{in_percent(figure)} % {interval(figure)}".rstrip()


def text_cell(words: str, **values: Any) -> dict[str, Any]:
    """A cell of words, a gettext id, that is translated when it is shown."""
    return {"text": words, "values": values}


def own_words(text: Text) -> dict[str, Any]:
    """A cell of a requester's words."""
    return {"own": text}


def counted(number: int, one: str, many: str) -> dict[str, Any]:
    """A cell of words about a number: `one` if it is 1, else `many`, which contains %(n)s; both are gettext ids."""
    return text_cell(one if number == 1 else many, n=number)


def as_sentence(message: str, **values: Any) -> Sentence:
    """A sentence of a report's text: a gettext id with the values in its places."""
    return {"message": message, "values": values}


def counted_sentence(number: int, one: str, many: str, **values: Any) -> Sentence:
    """A sentence about a number, as `counted` words it."""
    return as_sentence(one if number == 1 else many, n=number, **values)


def table(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    note: str | list[Any] = "",
    **more: Any,
) -> dict[str, Any]:
    """A table; title, notes and columns are gettext ids, and `more` are its optional keys."""
    cells = {"columns": list(columns), "rows": [list(row) for row in rows]}
    return {"name": name, "title": title, "note": note, **cells, **more}


def rounded(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(value, digits)


def sentence(cell: Mapping[str, Any], translate: Translate = str) -> str:
    """{"message": gettext id, "values"} with its values in their places."""
    values = {name: cell_text(value, translate) for name, value in cell.get("values", {}).items()}
    message = translate(cell["message"]) if cell["message"] else ""
    return message % values if values else message.replace("%%", "%")


def note_of(table: Mapping[str, Any], translate: Translate = str) -> str:
    """The note below the table: a gettext id, a sentence as in a cell, or several of these."""
    note = table.get("note") or []
    parts = note if isinstance(note, list) else [note]
    return " ".join(
        cell_text(part, translate) if isinstance(part, Mapping) else translate(part) for part in parts if part
    )


def spans_of(table: Mapping[str, Any], translate: Translate = str) -> list[tuple[str, int]]:
    """(words, number of columns) of the line above the head; empty if the table has none."""
    return [(translate(words) if words else "", count) for words, count in table.get("spans") or ()]


def title_of(table: Mapping[str, Any], translate: Translate = str) -> str:
    """The table's title, what it is about, and its variant in parentheses."""
    title = translate(table["title"])
    title = f"{title}: {cell_text(table['about'], translate)}" if table.get("about") else title
    return f"{title} ({translate(table['variant'])})" if table.get("variant") else title


def head_of(table: Mapping[str, Any], translate: Translate = str) -> list[str]:
    """The translated names of the columns."""
    return [translate(column) if column else "" for column in table["columns"]]


def numbers_of(table: Mapping[str, Any]) -> list[bool]:
    """For each column whether all cells are numbers; tables of texts state it in "numbers"."""
    if "numbers" in table:
        return list(table["numbers"])
    return [all(is_number(row[k]) for row in table["rows"]) for k in range(len(table["columns"]))]


def without_empty(table: dict[str, Any]) -> dict[str, Any]:
    """The table without columns in which no row has anything, such as the support's where nobody was asked for any.

    Beside such a column a count under the same heading goes too if it is 0 in every row. The first column stays.
    """
    rows, places = table["rows"], range(len(table["columns"]))
    spans = table.get("spans") or [["", len(places)]]
    heads = [at for at, (_words, count) in enumerate(spans) for _column in range(count)]
    empty = {k for k in places[1:] if rows and all(_is_nothing(row[k]) for row in rows)}
    emptied = {heads[k] for k in empty}
    told = {heads[k] for k in set(places) - empty if any(row[k] for row in rows)}
    kept = [k for k in places if not k or (k not in empty and (heads[k] in told or heads[k] not in emptied))]
    if len(kept) in (1, len(places)):
        return table
    less: dict[str, Any] = {"rows": [[row[k] for k in kept] for row in rows]}
    less |= {name: [table[name][k] for k in kept] for name in ("columns", "of_columns", "numbers") if table.get(name)}
    counts = [[words, sum(heads[k] == at for k in kept)] for at, (words, _count) in enumerate(spans)]
    return table | less | ({"spans": [one for one in counts if one[1]]} if table.get("spans") else {})


def _is_nothing(cell: Any) -> bool:
    return cell is None or cell == "" or (is_figure(cell) and cell["value"] is None)


def quotable(table: Mapping[str, Any], translate: Translate = str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table as texts, for `table_files`; spanning headers are repeated in each column."""
    above = [words for words, count in spans_of(table, translate) for _column in range(count)]
    head = head_of(table, translate)
    if above:
        head = [f"{span}: {own}" if span else own for span, own in zip(above, head, strict=True)]
    return head, [[cell_text(cell, translate) for cell in row] for row in table["rows"]]


def spread(table: Mapping[str, Any], translate: Translate = str) -> tuple[list[str], list[list[Any]]]:
    """Head and rows with a column for each number: a figure's value and interval, in percent or points, and its n."""
    head, _texts = quotable(table, translate)
    cells = [[row[k] for row in table["rows"] if is_figure(row[k])] for k in range(len(head))]
    figures, points = list(map(bool, cells)), [any(cell.get("points") for cell in own) for own in cells]
    named = [name for columns in zip(head, figures, points, strict=True) for name in _columns(*columns)]
    rows = [
        [number for cell, figure in zip(row, figures, strict=True) for number in _numbers(cell, figure, translate)]
        for row in table["rows"]
    ]
    return named, rows


def _columns(name: str, figure: bool, points: bool) -> list[str]:
    own = name if points else f"{name} (%)"
    return [own, f"{name} low", f"{name} high", f"{name} n"] if figure else [name]


def _numbers(cell: Any, figure: bool, translate: Translate) -> Iterator[Any]:
    if not figure:
        yield "" if cell is None else cell if isinstance(cell, int | float) else cell_text(cell, translate)
        return
    known: Mapping[str, Any] = cell if is_figure(cell) else {}
    for end in (known.get("value"), known.get("low"), known.get("high")):
        yield "" if end is None else round(end if known.get("points") else 100 * end, DIGITS)
    yield "" if known.get("n") is None else known["n"]


def lines(table: Mapping[str, Any], translate: Translate = str) -> list[str]:
    """A table under its title with aligned columns, for a terminal."""
    title = title_of(table, translate)
    head, rows = quotable(table, translate)
    if not rows:
        return [f"{title}: {translate('nothing yet')}"]
    head, *rows = [[" ".join(cell.split()) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    return [title, *(f"  {_aligned(row, widths, numbers_of(table))}" for row in [head, *rows])]


def _aligned(row: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    cells = zip(row, widths, numbers, strict=True)
    return "  ".join(c.rjust(width) if number else c.ljust(width) for c, width, number in cells).rstrip()
