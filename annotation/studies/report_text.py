"""The rows of a run's report as text, for the page and the terminal."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.pure.studies.published import UNITS


def shown(value: float | None, unit: str) -> str:
    """A figure in its unit: one decimal, counts as whole numbers, shares with four places as papers print them."""
    if value is None:
        return ""
    scale = UNITS[unit]
    text = f"{value:.0f}" if unit == "count" else f"{scale * value:.1f}" if scale == 100 else f"{value:.4f}"
    return text.replace("-", "−")


def interval(figure: dict[str, Any], unit: str, *, signed: bool = False) -> str:
    """The interval of a figure in its unit; "" if it has none."""
    show = shown_difference if signed else shown
    return "" if figure["low"] is None else f"[{show(figure['low'], unit)}, {show(figure['high'], unit)}]"


def shown_difference(value: float, unit: str) -> str:
    """A difference in the unit of its figures, with its sign."""
    text = shown(abs(value), unit)
    return text if not float(text) else f"{'−' if value < 0 else '+'}{text}"


def concluded(row: dict[str, Any]) -> str:
    """The conclusion from a primary figure, or why there is none; "" of another figure."""
    if row["conclusion"]:
        needed = shown(row["needed"], row["unit"])
        return _("%(conclusion)s (needs %(needed)s)") % {"conclusion": _(row["conclusion"]), "needed": needed}
    return _("no conclusion: %(why)s") % {"why": _(row["why"])} if row["why"] else ""


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What holds of all rows: whom intervals are about, and what conclusions rest on."""
    known = [row for row in rows if row["ours"]]
    family = sum(row["primary"] for row in rows)
    found = []
    if any(row["ours"]["low"] is not None for row in known):
        found.append(_("Our intervals are 95 % each, over people and items: for people and items like these."))
    if any(row["ours"]["items_only"] for row in known):
        found.append(_("“Items only”: all values are equal, so the interval (Wilson's) does not tell of other people."))
    if any(row["difference"]["low"] is not None for row in known):
        found.append(
            _(
                "Differences are ours minus the paper's. The paper's figure is given Wilson's interval at its n, "
                "their annotators taken to differ as ours do."
            )
        )
    if known and not family:
        found.append(_("This study has no primary figures, so nothing is concluded."))
    elif known:
        found.append(_family_note(family))
    return found


def _family_note(family: int) -> str:
    text = ngettext(
        "Conclusions are drawn from the one figure that was marked as primary before there were responses.",
        "Conclusions are drawn from the %(n)s figures that were marked as primary before there were responses. They "
        "hold together: the probability of any false one is at most 5 %% (Holm).",
        family,
    )
    needs = _("“Needs” is the smallest difference that would have been one.")
    return f"{text % {'n': family}} {needs}"


def _n(figure: dict[str, Any]) -> str:
    return f", n = {figure['n']}" if figure["n"] else ""


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as text, one a line."""
    return [_line(row) for row in rows]


def _line(row: dict[str, Any]) -> str:
    paper, unit = row["paper"], row["unit"]
    place = "; ".join(filter(None, [paper["place"], paper["from"] and f"from {paper['from']}"]))
    head = f"{row['figure']}: paper {bounded(row)}{_n(paper)}" + (f" ({place})" if place else "")
    if row["ours"] is None:
        return f"{head}; {row['note']}"
    own, apart = row["ours"], row["difference"]
    only = _("items only") if own["items_only"] else ""
    ours_ = " ".join(filter(None, [shown(own["value"], unit), interval(own, unit), only]))
    told = concluded(row) or row["note"]
    difference = [_("difference"), shown_difference(apart["value"], unit), interval(apart, unit, signed=True)]
    return "; ".join(filter(None, [head, f"ours {ours_}{_n(own)}", " ".join(filter(None, difference)), told]))


def bounded(row: dict[str, Any]) -> str:
    """The paper's figure in its unit, with the words of a bound."""
    value = shown(row["paper"]["value"], row["unit"])
    return f"{_(row['bound'])} {value}" if row["bound"] else value
