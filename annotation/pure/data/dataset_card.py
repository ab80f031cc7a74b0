"""A dataset card as dataset hubs read it: YAML front matter, then Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence

from annotation.pure.data.datasheet import Sheet, Work, together
from annotation.pure.data.datasheet_text import (
    NOT_RECORDED,
    composition,
    decided,
    drawn,
    ethics,
    lineage,
    predicted,
    report_table,
    sources,
    undecided,
)
from annotation.pure.data.hub_layout import features
from annotation.pure.text.escaping import code, plain, yaml_text

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_HUB_NAMES = {"dev": "validation"}  # of splits
# The hub's identifiers by the words of a licence, without their punctuation.
_LICENCES = {
    **{f"cc by {v}": f"cc-by-{v}" for v in ("2.0", "2.5", "3.0", "4.0")},
    **{f"cc by sa {v}": f"cc-by-sa-{v}" for v in ("3.0", "4.0")},
    **{f"cc by nc {v}": f"cc-by-nc-{v}" for v in ("2.0", "3.0", "4.0")},
    **{f"cc by nc sa {v}": f"cc-by-nc-sa-{v}" for v in ("2.0", "3.0", "4.0")},
    **{f"cc by nd {v}": f"cc-by-nd-{v}" for v in ("4.0",)},
    **dict.fromkeys(("cc0", "cc0 1.0"), "cc0-1.0"),
    "mit": "mit",
    **dict.fromkeys(("apache 2.0", "apache licence 2.0", "apache license 2.0"), "apache-2.0"),
    **{f"odc by {v}".strip(): "odc-by" for v in ("", "1.0")},
    **{f"odbl {v}".strip(): "odbl" for v in ("", "1.0")},
}


def card(
    sheet: Sheet,
    files: Mapping[str, str],
    *,
    datasheet: str = "",
    without_gold: Sequence[str] = (),
    in_columns: bool = False,
) -> str:
    """The dataset card. `files` maps names of splits to their files; `datasheet` is the datasheet's file;
    `without_gold`: splits whose gold is not in their files; `in_columns`: they have the rows of `hub_layout`.
    """
    front = "\n".join(["---", *_front(sheet, files), *(features() if in_columns else ()), "---"])
    return "\n\n".join([front, f"# {plain(sheet.name)}", *_body(sheet, datasheet, without_gold)]) + "\n"


def _front(sheet: Sheet, files: Mapping[str, str]) -> Iterator[str]:
    whole = together(sheet.splits)
    yield f"pretty_name: {yaml_text(sheet.name)}"
    yield from _licence_lines(sheet)
    yield "task_categories:"
    yield "- question-answering"
    yield "size_categories:"
    yield f"- {next((name for most, name in _SIZES if whole.records < most), 'n>10M')}"
    if any(hops > 1 for hops in whole.hops):
        yield "tags:"
        yield "- multihop"
    if files:
        yield "configs:"
        yield "- config_name: default"
        yield "  data_files:"
        for split, file in files.items():
            yield f"  - split: {hub_name(split)}"
            yield f"    path: {yaml_text(file)}"


def hub_name(split: str) -> str:
    """A split's name as hubs take it: a word of letters, digits, dots and low lines."""
    return _HUB_NAMES.get(split, re.sub(r"[^\w.]+", "_", split, flags=re.ASCII) or "data")


def licence_id(licence: str) -> str:
    """The hub's identifier of a licence; "" if unknown."""
    words = re.sub(r"[\s_\-]+", " ", licence.strip().lower())
    return _LICENCES.get(words.removesuffix(" international").removeprefix("creative commons "), "")


def _licence_lines(sheet: Sheet) -> Iterator[str]:
    licences = sorted({part for part in sheet.licence.split("; ") if part})
    ids = sorted({licence_id(licence) for licence in licences})
    if not licences:
        yield "license: unknown"
    elif all(ids):
        yield from [f"license: {ids[0]}"] if len(ids) == 1 else ["license:", *(f"- {each}" for each in ids)]
    else:
        yield "license: other"
        yield f"license_name: {yaml_text(sheet.licence)}"


def _body(sheet: Sheet, file: str, without_gold: Sequence[str]) -> Iterator[str]:
    yield "## Contents"
    yield from composition(sheet)
    if without_gold:
        yield f"The gold of {', '.join(map(code, without_gold))} is not published."
    yield "## Sources and licences"
    yield from sources(sheet)
    yield "## How it was made"
    yield from lineage(sheet)
    workers = "One person worked on it, under a pseudonym."
    if sheet.workers != 1:
        workers = f"{sheet.workers} people worked on it, under pseudonyms."
    yield workers if sheet.works else "No work of people on it is recorded."
    for work in sheet.works:
        yield from _work(work)
    if sheet.works or sheet.ethics or sheet.consent:
        yield from ethics(sheet)
    if file and sheet.works:
        chosen = "chosen and paid" if any(work.pay for work in sheet.works) else "chosen"
        yield f"How they were {chosen}, how far they agreed and what was left out stands in {code(file)}."
    elif file:
        yield f"What was left out stands in {code(file)}."
    yield "Language, intended uses and maintainers: " + NOT_RECORDED + "."


def _work(work: Work) -> Iterator[str]:
    """What whoever uses the dataset has to know of a batch: who decided, what was not paid, what needs no reasoning."""
    if work.decided:
        yield f"Results of the batch {code(work.batch)} in it: {decided(work)}."
    if work.asked:
        yield plain(" ".join(work.asked))
    if left := ", ".join(undecided(work)):
        yield f"The batch {code(work.batch)} has {work.answers} answers, {left}."
    if work.drawn_by:
        yield f"The items of the batch {code(work.batch)} were drawn {drawn(work)}."
    for model in work.models:
        yield f"The batch {code(work.batch)} has predictions of the model {code(model.name)}: {predicted(model)}."
    for figures in work.baselines:
        yield from report_table(figures)
