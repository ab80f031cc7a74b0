"""One item of a dataset with all its gold, for requesters."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.review import gold_looks
from annotation.formats.fields import without_gold
from annotation.models import Batch, Dataset, Hit, Item, Project
from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.data.graph_drawing import draw
from annotation.pure.people import roles
from annotation.pure.text.marked_text import Mark, fill_references, pieces
from annotation.pure.text.spans import mentions
from annotation.templatetags.composition_tags import hue
from annotation.views.access import Request, member_action, member_required
from annotation.views.data.datasets import dataset_of
from annotation.views.post_handling import see_other
from annotation.views.review.comments import thread_context


def _asking(dataset: Dataset, position: int) -> QuerySet[Batch]:
    """The batches with any version of the item."""
    versions = Item.every.filter(dataset=dataset, position=position)
    return Batch.objects.filter(pk__in=Hit.objects.filter(item__in=versions).values("batch")).order_by("-created_at")


@require_safe
@member_required(roles.SEE)
def item(request: Request, project: Project, name: str, position: int) -> HttpResponse:
    """Question, answers, decomposition and context of the item at a 0-based position.

    Without gold for a viewer who is still to adjudicate one of its HITs and has not opened it.
    """
    dataset = dataset_of(project, name)
    row: Item = get_object_or_404(dataset.items, position=position)
    hidden = gold_looks.hidden(gold_looks.hits_of(project, row), request.user) if roles.REVIEW in request.may else []
    context = {
        "project": project,
        "section": "datasets",
        "dataset": dataset,
        "item": row,
        "previous": position - 1 if position > 0 else None,
        "next": position + 1 if position + 1 < dataset.size else None,
        "batches": _asking(dataset, row.position),
        "gold_hidden": hidden,
        **({} if hidden else thread_context(request, project, row)),
        **exhibit(without_gold(row.example) if hidden else row.example),
    }
    return render(request, "data/item.html", context)


@member_action(roles.REVIEW)
def item_open(request: Request, project: Project, name: str, position: int) -> HttpResponse:
    """Open the gold of an item that the viewer is still to adjudicate, which is logged for each of its HITs."""
    row: Item = get_object_or_404(dataset_of(project, name).items, position=position)
    gold_looks.record_looks(gold_looks.hits_of(project, row), request.user)
    return see_other("item", project.slug, name, position)


SHOWN_EXTRA = 20_000  # characters
YES_NO = {"yes", "no"}  # too frequent in texts to mark


def exhibit(example: Example) -> dict[str, Any]:
    """The context of the item's page."""
    return {
        "example": example,
        "extra": _extra(example),
        "hops": [_hop(example, k) for k in range(len(example.hops))],
        "graph": _graph(example.hops),
        "paragraphs": [_paragraph(example, p) for p in range(len(example.paragraphs))],
    }


def _extra(example: Example) -> str:
    """Fields that are not shown elsewhere, as JSON; long ones are cut."""
    if not example.extra:
        return ""
    text = json.dumps(dict(example.extra), ensure_ascii=False, indent=2)
    return text if len(text) <= SHOWN_EXTRA else f"{text[:SHOWN_EXTRA]}…"


def _hop(example: Example, k: int) -> dict[str, Any]:
    hop = example.hops[k]
    parts = [{"text": p.text, "hop": p.hop, "hue": hue(p.hop)} for p in fill_references(hop.question, example.hops[:k])]
    shown = {"number": k + 1, "hue": hue(k + 1), "parts": parts, "answer": hop.answer}
    if hop.support is None or hop.support >= len(example.paragraphs):
        return shown | {"support": None}
    paragraph = example.paragraphs[hop.support]
    is_mentioned = any(mentions(hop.answer, paragraph.text))
    return shown | {"support": hop.support + 1, "title": paragraph.title, "is_mentioned": is_mentioned}


def _graph(hops: tuple[Hop, ...]) -> dict[str, Any] | None:
    """The graph and its description as text."""
    if not hops:
        return None
    edges = dag.edges(hops)
    drawing = draw(edges, len(hops))
    circles = [{"place": c, "hue": hue(c.hop), "answer": hops[c.hop - 1].answer} for c in drawing.circles]
    return {"drawing": drawing, "circles": circles, "words": list(_in_words(edges, len(hops)))}


def _in_words(edges: tuple[dag.Edge, ...], count: int) -> Iterator[str]:
    for hop in range(1, count + 1):
        used = [str(j) for j, i in edges if i == hop]
        if used:
            yield _("Hop %(hop)s uses the answer of hop %(used)s.") % {"hop": hop, "used": _(" and ").join(used)}
        else:
            yield _("Hop %(hop)s does not depend on another hop.") % {"hop": hop}


def _paragraph(example: Example, place: int) -> dict[str, Any]:
    paragraph = example.paragraphs[place]
    marks = list(_answer_marks(example, paragraph)) + list(_hop_marks(example, place))
    shown: list[dict[str, Any]] = [
        {"piece": piece, "hue": hue(piece.mark.hop) if piece.mark and piece.mark.hop else 0}
        for piece in pieces(paragraph.text, marks=marks, facts=_facts(example, place))
    ]
    return {
        "number": place + 1,
        "title": paragraph.title,
        "support": place in (example.supports or ()),
        "pieces": shown,
        "answers": sum(1 for part in shown if part["piece"].opens and not part["hue"]),
        "sentences": [s + 1 for p, s in example.facts or () if p == place],
    }


def _facts(example: Example, place: int) -> list[tuple[int, int]]:
    """The supporting sentences without leading spaces."""
    text, spans = example.paragraphs[place].text, example.paragraphs[place].sentence_spans()
    chosen = [spans[s] for p, s in example.facts or () if p == place and s < len(spans)]
    return [(end - len(text[start:end].lstrip()), end) for start, end in chosen]


def _answer_marks(example: Example, paragraph: Paragraph) -> Iterator[Mark]:
    for answer in example.answers:
        if answer.strip().lower() not in YES_NO:
            yield from (Mark(start, end, 0) for start, end in mentions(answer, paragraph.text))


def _hop_marks(example: Example, place: int) -> Iterator[Mark]:
    """In a hop's paragraph: its answer, and the answers that its question uses."""
    text = example.paragraphs[place].text
    for number, hop in enumerate(example.hops, 1):
        if hop.support != place:
            continue
        for k in {number, *(j for j in dag.references(hop.question) if 1 <= j < number)}:
            yield from (Mark(start, end, k) for start, end in mentions(example.hops[k - 1].answer, text))
