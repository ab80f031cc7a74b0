"""Requesters' comments on an item, a HIT or a response: the thread on its page, writing and erasing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.review import comments
from annotation.models import Assignment, Comment, Dataset, Hit, Item, Project
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views.access import OtherRole, Request, member_action
from annotation.views.post_handling import posted_text, whole_number

MOST_NAMES = 12  # of members, in the line below the field


@dataclass(frozen=True, slots=True)
class Subject:
    """What comments are written about: an item, a HIT or a response."""

    project: Project
    item: Item
    hit: Hit | None = None
    assignment: Assignment | None = None

    @classmethod
    def of(cls, project: Project, row: Item | Hit | Assignment) -> Subject:
        if isinstance(row, Assignment):
            return cls(project, row.hit.item, row.hit, row)
        return cls(project, row.item, row) if isinstance(row, Hit) else cls(project, row)

    @property
    def kind(self) -> str:
        """`item`, `hit` or `response`, as in URLs."""
        return "response" if self.assignment else "hit" if self.hit else "item"

    @property
    def name(self) -> str:
        """Its name among those of its kind, as in URLs."""
        row = self.assignment or self.hit
        return row.public_id if row else str(self.item.pk)

    @property
    def page(self) -> str:
        """The URL of the page that shows it with its thread."""
        slug, hit, made = self.project.slug, self.hit, self.assignment
        if made:
            address = reverse("review-answer", args=[slug, made.batch.slug, made.public_id])
        elif hit:
            address = reverse("hit", args=[slug, hit.batch.slug, hit.public_id])
        else:
            address = reverse("item", args=[slug, self.item.dataset.slug, self.item.position])
        return f"{address}#comments"

    @property
    def label(self) -> str:
        """The label of the field."""
        if self.assignment:
            return _("Comment on this response")
        return _("Comment on this HIT") if self.hit else _("Comment on this item")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `comments.add`."""
        if self.assignment:
            return {"assignment": self.assignment}
        return {"hit": self.hit} if self.hit else {"item": self.item}


def subject_of(project: Project, kind: str, name: str) -> Subject:
    """The item, HIT or response of the project with that `Subject.kind` and `.name`; 404 otherwise."""
    batches = project.batches.all()
    if kind == "response":
        rows = Assignment.objects.submitted().filter(batch__in=batches).defer("draft", "hit__payload")
        found = rows.select_related("batch", "hit__batch", "hit__item__dataset")
        return Subject.of(project, get_object_or_404(found, public_id=name))
    if kind == "hit":
        hits = Hit.objects.filter(batch__in=batches).defer("payload")
        return Subject.of(project, get_object_or_404(hits.select_related("batch", "item__dataset"), public_id=name))
    number = whole_number(name, None, digits=18)
    if kind != "item" or number is None:
        raise Http404
    datasets = Dataset.objects.whole().filter(project=project)
    items = Item.every.filter(dataset__in=datasets).select_related("dataset").defer("content")
    return Subject.of(project, get_object_or_404(items, pk=number))


def thread_context(
    request: Request, project: Project, row: Item | Hit | Assignment, *, problem: str = "", typed: str = ""
) -> dict[str, Any]:
    """The context of `review/_comments.html` on the page of an item, a HIT or a response.

    `problem` says why the text `typed` was not posted.
    """
    subject = Subject.of(project, row)
    rows = comments.about_hit(subject.hit) if subject.hit else comments.about_item(project, subject.item)
    return {
        "subject": subject,
        "comments": shown_comments(request, subject, rows),
        "may_comment": roles.REVIEW in request.may,
        "comment_problem": problem,
        "comment_typed": typed,
        "mention_names": comments.mention_names(comments.others(project, request.user)[:MOST_NAMES]),
        "longest_comment": Comment.LONGEST,
    }


def shown_comments(
    request: Request, subject: Subject, rows: Iterable[Comment], letters: Mapping[int, str] | None = None
) -> list[dict[str, Any]]:
    """Comments for a page: [{"comment", "about", "page" (of what it is about), "erasable"}].

    `about` and `page` are empty for comments on the subject itself. `letters` of the responses, if the page has its
    own.
    """
    rows = list(rows)
    if letters is None:
        hits = {row.hit_id for row in rows if row.hit_id and row.assignment_id}
        numbers = comments.response_numbers(hits) if hits else {}
        letters = {pk: letter_of(number) for pk, number in numbers.items()}
    owner = roles.OWN in request.may
    return [
        {
            "comment": row,
            "erasable": comments.may_erase(row, request.user, owner=owner),
            **_about(row, subject, letters),
        }
        for row in rows
    ]


def _about(comment: Comment, subject: Subject, letters: Mapping[int, str]) -> dict[str, str]:
    """Where a comment belongs, in words and as a URL; empty for the subject itself."""
    own = (subject.hit and subject.hit.pk, subject.assignment and subject.assignment.pk)
    if (comment.hit_id, comment.assignment_id) == own:
        return {"about": "", "page": ""}
    slug = subject.project.slug
    if comment.hit is None:
        page = reverse("item", args=[slug, subject.item.dataset.slug, subject.item.position])
        return {"about": _("on the item"), "page": page}
    letter = letters.get(comment.assignment_id or 0, "")  # an erased response has none
    values = {"letter": letter, "batch": in_language(comment.hit.batch.title)}
    page = reverse("hit", args=[slug, comment.hit.batch.slug, comment.hit.public_id])
    return {"about": _words(comment, subject, letter) % values, "page": page}


def _words(comment: Comment, subject: Subject, letter: str) -> str:
    elsewhere = subject.hit is None
    if comment.assignment_id and not letter:
        return _("on an erased response in “%(batch)s”") if elsewhere else _("on an erased response")
    if comment.assignment_id:
        return _("on response %(letter)s in “%(batch)s”") if elsewhere else _("on response %(letter)s")
    return _("on the HIT in “%(batch)s”") if elsewhere else _("on the HIT")


@member_action(roles.REVIEW)
def comment_add(request: Request, project: Project, kind: str, name: str) -> HttpResponse:
    """Post a comment; a refused one stays in the field, with the reason."""
    subject, text = subject_of(project, kind, name), posted_text(request, "text")
    try:
        comments.add(request.user, text, **subject.arguments)
    except Refused as refused:
        return _answer(request, project, subject, problem=str(refused), typed=text)
    return _answer(request, project, subject)


@member_action(roles.REVIEW)
def comment_erase(request: Request, project: Project, pk: int) -> HttpResponse:
    """Erase a comment for good: one's own, or as an owner any. `page` is the thread to return to, as kind/name."""
    row = get_object_or_404(comments.of_project(project), pk=pk)
    kind, _slash, name = posted_text(request, "page").partition("/")
    subject = subject_of(project, kind, name) if kind else Subject.of(project, row.assignment or row.hit or row.item)
    try:
        comments.erase(row, request.user)
    except Refused as refused:
        raise OtherRole(str(refused)) from refused
    return _answer(request, project, subject)


def _answer(
    request: Request, project: Project, subject: Subject, *, problem: str = "", typed: str = ""
) -> HttpResponse:
    """The thread for htmx; without scripts the subject's page, or for a refused comment one with the thread alone."""
    if not (request.htmx or problem):
        return HttpResponseRedirect(subject.page, status=303)
    row = subject.assignment or subject.hit or subject.item
    context = {"project": project, **thread_context(request, project, row, problem=problem, typed=typed)}
    if request.htmx:
        return render(request, "review/_comments.html", context)
    context |= {"section": "batches" if subject.hit else "datasets"}
    return render(request, "review/comments.html", context, status=422)


def letter_of(number: int) -> str:
    """The letter of a response by its place, from 0: A to Z, then A1 to Z1, and so on."""
    return chr(65 + number % 26) + (str(number // 26) if number >= 26 else "")
