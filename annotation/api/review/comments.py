"""Requesters' comments on items, HITs and responses."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError

from annotation.api.examples import HIT
from annotation.api.operations import operation
from annotation.api.serializers import JSON, Filter, Input
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.errors import Refused
from annotation.flow.review import comments, gold_looks
from annotation.models import Assignment, Comment, Hit, Item
from annotation.pure.people import roles


class CommentFilter(Filter):
    """Filters of comments. Those on a response are on its HIT too, and those on a HIT on its item."""

    dataset = serializers.CharField(source="item__dataset__slug", max_length=100, required=False)
    item = serializers.IntegerField(
        source="item__position",
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="The item's position in its dataset, from 0; give `dataset` too.",
    )
    hit = serializers.CharField(source="hit__public_id", max_length=32, required=False)
    assignment = serializers.CharField(source="assignment__public_id", max_length=32, required=False)

    def validate(self, data: JSON) -> JSON:
        if "item__position" in data and "item__dataset__slug" not in data:
            raise ValidationError({"dataset": [_("Give the dataset of the item.")]})
        return data


class CommentInput(Input):
    """A comment on a response, on a HIT, or on an item. “@name” mentions a member, who gets a notice."""

    EXAMPLE = {"text": "The second paragraph contradicts the gold.", "hit": HIT}

    text = serializers.CharField(max_length=Comment.LONGEST)
    assignment = serializers.CharField(max_length=32, required=False, help_text="The id of the response's assignment.")
    hit = serializers.CharField(max_length=32, required=False)
    dataset = serializers.CharField(max_length=100, required=False)
    item = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)

    def validate(self, data: JSON) -> JSON:
        """Exactly one of `assignment`, `hit`, and `dataset` with `item`."""
        for one, other in (("dataset", "item"), ("item", "dataset")):
            if one in data and other not in data:
                raise ValidationError({other: [_("Give the dataset and the position of the item.")]})
        if sum(name in data for name in ("assignment", "hit", "item")) != 1:
            raise ValidationError({"hit": [_("Give an assignment, a HIT, or the dataset and position of an item.")]})
        return data


class CommentSerializer(serializers.Serializer):
    """A comment. `hit` and `assignment` are null if it is on the item; `assignment` if it is on the HIT."""

    id = serializers.IntegerField(source="pk")
    dataset = serializers.CharField(source="item.dataset.slug")
    item = serializers.IntegerField(source="item.position")
    hit = serializers.CharField(source="hit.public_id", default=None, allow_null=True)
    assignment = serializers.CharField(source="assignment.public_id", default=None, allow_null=True)
    author = serializers.SerializerMethodField()
    text = serializers.CharField(help_text="What the author wrote.")
    created_at = serializers.DateTimeField()

    def get_author(self, comment: Comment) -> str | None:
        """The author's pseudonym, as of reviewers; null: the account was deleted."""
        return comment.project.reviewer_pseudonym(comment.author_id) if comment.author_id else None


class CommentViewSet(ResourceViewSet):
    """Requesters' comments. Workers never see them."""

    serializer_class = CommentSerializer
    act = roles.REVIEW
    lookup_field, lookup_value_converter = "pk", "int"
    row: Comment

    def get_queryset(self) -> Any:
        rows = comments.of_project(self.project)
        return rows.exclude(gold_looks.hidden_comments(rows, self.request.user))

    def prepare(self, rows: list[Any]) -> list[Any]:
        for row in rows:
            row.project = self.project
        return rows

    @operation(query=CommentFilter)
    def list(self, query: JSON) -> Any:
        """List comments on items, HITs and responses, oldest first.

        Without those of others on what you are still to adjudicate.
        """
        return self.get_queryset().filter(**query)

    @operation(takes=CommentInput, location="comments/{0.pk}/")
    def create(self, data: JSON) -> Comment:
        """Comment on a response, on a HIT or on an item; members whom the text mentions get a notice."""
        return comments.add(self.caller, data["text"], **self._subject(data))

    def _subject(self, data: JSON) -> dict[str, Any]:
        """What the comment is about, as `comments.add` takes it. Raises ValidationError if there is no such thing."""
        batches = self.project.batches.all()
        if "assignment" in data:
            rows = Assignment.objects.submitted().filter(batch__in=batches)
            rows = rows.select_related("hit__batch", "hit__item__dataset__project")
            return {"assignment": self._found(rows, "assignment", data["assignment"])}
        if "hit" in data:
            hits = Hit.objects.filter(batch__in=batches).select_related("batch", "item__dataset__project")
            return {"hit": self._found(hits, "hit", data["hit"])}
        datasets = self.project.datasets.whole().filter(slug=data["dataset"])
        items = Item.objects.filter(dataset__in=datasets, position=data["item"])
        item = items.select_related("dataset__project").first()
        if item is None:
            raise ValidationError({"item": [_("The dataset has no item at this position.")]})
        return {"item": item}

    def _found(self, rows: Any, name: str, public_id: str) -> Any:
        row = rows.filter(public_id=public_id).first()
        if row is None:
            raise ValidationError({name: [_("The project has nothing of this id.")]})
        return row

    @operation()
    def retrieve(self) -> None:
        """One comment."""

    @operation(id="eraseComment")
    def destroy(self) -> None:
        """Erase a comment for good: your own, or any as an owner of the project."""
        try:
            comments.erase(self.row, self.caller)
        except Refused as refused:
            raise PermissionDenied(str(refused)) from refused
