"""Display of a report: tables, charts, a paragraph for a paper, findings."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.batches.hit_filters import BatchPart
from annotation.models import Batch
from annotation.pure.data.example import JSON
from annotation.pure.reports import answer_tables, exclusion_tables, tables
from annotation.pure.reports.charts import Flow, Plot
from annotation.pure.reports.disagreement_map import DIFFERING
from annotation.pure.reports.explanations import SUBJECTS, Chapter, key_of, subject_of
from annotation.pure.reports.report_values import tables_of
from annotation.pure.statistics.worker_intervals import too_few, whom
from annotation.templatetags.figure_tags import interval, percent
from annotation.views.report_opening import lead_chart, opening_figures
from annotation.views.reports.drilldown_links import DrilldownLinks
from annotation.views.reports.figure_notes import FigureNotes, ReportRows, report_chapters
from annotation.views.reports.report_tables import shown_table

LEVELS = {"paragraph": gettext_noop("paragraph"), "sentence": gettext_noop("sentence")}  # of support


def exhibit(content: JSON, batch: Batch, part: BatchPart, *, alone: bool = False) -> JSON:
    """The context of a report; empty for a report of another layout. `alone`: for a file, without any link."""
    found = tables_of(content)
    if not found and not content.get("warnings"):
        return {}

    def address(name: str, suffix: str) -> str:
        return reverse("report-table", args=[batch.project.slug, batch.slug, name, suffix]) + part_query(part)

    ways, way = (None, None) if alone else (DrilldownLinks(batch, part), address)
    notes = FigureNotes(report_chapters(content, batch.task), ReportRows(content, ways), is_linked=not alone)
    shown = [shown_table(table, ways, way, notes) for table in found]

    def drawn(plot: Plot) -> JSON:
        url = reverse("report-chart", args=[batch.project.slug, batch.slug, plot.name]) + part_query(part)
        return shown_chart(plot, "" if alone else url, notes)

    lead, rest = lead_chart(content)
    tables_, differing = _parted(shown)
    charts, maps = _parted(list(map(drawn, rest)))
    datasets = content.get("datasets") or {}
    return {
        "alone": alone,
        **opening_figures(content, lambda k, one: notes.of_figure(f"headline-{k}", one.key, one.study)),
        "lead": drawn(lead) if lead else None,
        "subjects": _by_subject(notes.chapters, tables_, charts),
        "differing": {"tables": differing, "charts": maps} if differing else None,
        "tables": [table for table in tables_ if not table["study"]],
        "studies": [
            {
                "name": name,
                "figures": study,
                "level": _(LEVELS[study["support_level"]]),
                "tables": [table for table in tables_ if table["study"] == name],
            }
            for name, study in datasets.items()
        ],
        "warnings": [tables.sentence(warning, _) for warning in content.get("warnings", ())],
        "paragraph": in_words(content),
        "intervals": _(content["intervals"]) if content.get("intervals") else "",
        "rule": content.get("rule", ""),
        "ties": content.get("ties", ""),
    }


def _by_subject(chapters: tuple[Chapter, ...], shown: list[JSON], charts: list[JSON]) -> list[JSON]:
    """The tables behind the first by what they are about, each with its charts, and the charts without a table."""
    entries = [one | {"charts": []} for one in shown[1:]]
    for chart in charts:
        same = (key_of(chart["name"], chart["study"]), chart["study"])
        own = [one for one in entries if chart["name"] == one["name"] or same == (one["key"], one["study"])]
        if own:
            own[0]["charts"].append(chart | {"why": None, "url": "", "file": chart["url"]})  # beside those of the table
            own[0]["is_drawn"] = isinstance(chart["plot"], Flow)  # the chart says all that the table says
        else:
            entries.append({**chart, "key": same[0], "is_chart": True})
    found = [(subject_of(chapters, one["name"], one["key"]), one) for one in entries]
    groups = [(words, [one for of, one in found if of == words]) for words in SUBJECTS]
    return [
        {"title": _(words), "entries": own, "about": _named(own, _(words)), "parts": _by_criterion(own)}
        for words, own in groups
        if own
    ]


def _named(entries: list[JSON], subject: str) -> list[str]:
    """What a subject's tables are called, each name once, without the subject's own."""
    return list(dict.fromkeys(one["title"].removeprefix(f"{subject}: ").partition(": ")[0] for one in entries))


def _by_criterion(entries: list[JSON]) -> list[JSON]:
    """The entries in parts: those about one of several criteria under its name, where each has several tables."""
    parts: dict[str, list[JSON]] = {}
    for one in entries:
        parts.setdefault(one.get("about") or f"-{len(parts)}", []).append(one)
    if sum(len(own) > 1 for own in parts.values()) < 2:
        return [{"entries": entries}]
    return [{"title": name if own[0].get("about") else "", "entries": own} for name, own in parts.items()]


def _parted(shown: list[JSON]) -> tuple[list[JSON], list[JSON]]:
    """Tables or charts, and apart from them those about where workers differ."""
    return [one for one in shown if one["name"] != DIFFERING], [one for one in shown if one["name"] == DIFFERING]


def in_words(content: JSON) -> str:
    """The figures as text."""
    left_out = [tables.sentence(sentences, _) for sentences in exclusion_tables.left_out(content.get("excluded") or [])]
    if content.get("datasets"):
        studies = content["datasets"].items()
        paragraphs = [_paragraph(name, found, content.get("k")) for name, found in studies if found["n"]]
        cautions = [tables.sentence(warning, _) for warning in content.get("warnings", ())]
        return "\n\n".join([*cautions, *paragraphs, *left_out] if paragraphs else [])
    sentences = [tables.sentence(sentences, _) for sentences in content.get("paragraph", ())]
    return " ".join([*sentences, *left_out] if sentences else [])


def shown_chart(plot: Plot, url: str = "", notes: FigureNotes | None = None) -> JSON:
    """The context of `reports/_chart.html`; without `url` no download, without `notes` no explanation."""
    why = notes and notes.of_chart(plot.name, plot.study)
    of = {"name": plot.name, "study": plot.study, "title": plot.title, "n": plot.n}
    return of | {"plot": plot, "url": url, "why": why}


def part_query(part: BatchPart) -> str:
    """The filter as a query string."""
    return f"?{urlencode(part.query)}" if part.query else ""


def _paragraph(name: str, study: JSON, k: int | None) -> str:
    """A dataset's figures as sentences; undefined figures are left out."""
    people = study.get("people") or {}
    sentences = [*_scores(name, study), *_supports(study)]
    if k:
        notes = answer_tables.at_k(k, study["n"], fewer=study["fewer"], more=study["more"])
        sentences += [tables.cell_text(note, _) for note in notes]
    if people.get("workers"):
        sentences += _about_people(people)
    return " ".join(sentences)


def _scores(name: str, study: JSON) -> Iterator[str]:
    figures = _defined(study["answer"])
    if "human_score" not in figures:
        yield _("%(name)s (n = %(n)s): there is no gold answer to score against.") % {"name": name, "n": study["n"]}
    else:
        text = _(
            "%(name)s (n = %(n)s, 95 %% intervals in brackets): the human score is %(human_score)s answer F1 and the "
            "upper bound %(upper_bound)s; a single annotator reaches %(average)s on average."
        )
        yield text % {"name": name, "n": study["n"], **figures}
    if "agreement" in figures:
        yield _("The agreement on the answer is %(agreement)s.") % figures


def _supports(study: JSON) -> Iterator[str]:
    figures = _defined(study["support"]) | {"level": _(LEVELS[study["support_level"]])}
    if "human_score" in figures:
        text = _("Support F1 at %(level)s level: human score %(human_score)s, upper bound %(upper_bound)s.")
        yield text % figures
    if "agreement" in figures:
        yield _("The agreement on the support is %(agreement)s.") % figures


def _defined(part: JSON) -> dict[str, str]:
    """Each measure's F1 with its interval, without undefined ones."""
    figures = {measure: part[measure]["f1"] for measure in ("human_score", "upper_bound", "agreement", "average")}
    known = {measure: figure for measure, figure in figures.items() if figure["value"] is not None}
    return {measure: f"{percent(figure)} {interval(figure)}".strip() for measure, figure in known.items()}


def _about_people(people: JSON) -> Iterator[str]:
    """The workers for whom the intervals hold, and the average annotator's interval over annotators and items."""
    yield tables.cell_text(whom(people["workers"]), _)
    average = people["answer"]["average"]["f1"]
    if average is None:
        yield tables.cell_text(too_few(people["workers"]), _)
    elif average["low"] is not None:
        text = _("The 95 %% interval of the average annotator's answer F1, over annotators and items, is %(interval)s.")
        yield text % {"interval": interval(average)}
