"""Deriving datasets from datasets: the ways there are with their options, and the job that goes one of them."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs, uploads
from annotation.api.lists import JSON, ProjectList, Whole, Wish, asked, once
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.reading import FormParser, ObjectParser, loaded
from annotation.api.writing import repeatable
from annotation.console_forms import NAMES_OF_PAGES
from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive, Derivation
from annotation.flow import deriving
from annotation.models import Dataset

MOST_SEED = 2**53 - 1
FILES = sorted({name for how in DERIVATIONS for name in deriving.uploads_of(how)})
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string"}


class WayOptionSerializer(serializers.Serializer):
    """An option of a way: what it takes, and what it stands at."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=sorted({*KINDS.values(), "dataset", "datasets", "file", "shares"}))
    default = serializers.JSONField(allow_null=True)
    label = serializers.CharField()
    help = serializers.CharField(allow_blank=True)
    least = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)
    choices = serializers.ListField(child=serializers.CharField(), help_text="of a text; none: any")
    needed = serializers.BooleanField(help_text="it cannot be left out")


class WaySerializer(serializers.Serializer):
    """A way to derive: how it is called, what it does, what it makes of a name, and its options."""

    how = serializers.CharField()
    title = serializers.CharField()
    does = serializers.CharField()
    outputs = serializers.ListField(child=serializers.CharField(allow_blank=True), help_text="put behind the name")
    options = WayOptionSerializer(many=True)


class DerivationWish(Wish):
    """What to derive from what. Options that are left out stand as the list of ways says."""

    how = serializers.ChoiceField(choices=sorted(DERIVATIONS))
    source = serializers.SlugField(max_length=100)
    name = serializers.SlugField(max_length=100)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)
    options = serializers.DictField(default=dict)


class DerivationForm(serializers.Serializer):
    """The same as a form, for ways with files: each in a part named as its option; `options` is an object in JSON."""

    how = serializers.ChoiceField(choices=sorted(DERIVATIONS))
    source = serializers.SlugField(max_length=100)
    name = serializers.SlugField(max_length=100)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)
    options = serializers.CharField(required=False)

    def get_fields(self) -> dict[str, serializers.Field]:
        return super().get_fields() | {name: serializers.FileField(required=False) for name in FILES}


class Derivations(ProjectList):
    """The ways to derive."""

    serializer_class = WaySerializer
    pagination_class = Whole
    parser_classes = [ObjectParser, FormParser]

    @extend_schema(operation_id="listDerivations", responses=WaySerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The ways to derive a dataset from another, with their options."""
        return self.whole(_way(each) for each in DERIVATIONS.values())

    @extend_schema(
        operation_id="deriveDataset",
        request={"application/json": DerivationWish, "multipart/form-data": DerivationForm},
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Derive a dataset from another, by a job.

        The same source, options and seed give the same dataset; the same wish under the same name changes nothing.
        """
        files = dict(request.FILES.items())
        wish = asked(DerivationWish, _given(request.data, files))
        source = Dataset.objects.whole().filter(project=self.project, slug=wish["source"]).first()
        if source is None:
            raise ValidationError({"source": [_("There is no such dataset in the project.")]})
        way = DERIVATIONS[wish["how"]]
        _examine(way, source, wish, files)
        kept = {name: {"path": str(uploads.keep(f)), "file_name": (f.name or "")[:255]} for name, f in files.items()}
        arguments = {"source": source.pk, "how": way.how, "name": wish["name"], "seed": wish["seed"]}
        arguments |= {"options": wish["options"], "uploads": kept}
        title = _("%(what)s of %(source)s") % {"what": _(way.title), "source": source.slug}
        user = request.user
        kind = "derive_dataset"
        return queued(jobs.enqueue_once(kind, project=self.project, title=title, arguments=arguments, user=user))


def _given(body: Any, files: JSON) -> JSON:
    """The wish of a body, whether JSON or a form, without its files."""
    wish = {name: body[name] for name in body if name not in files}
    if not isinstance(body, QueryDict):
        return wish
    once(body)
    for name in {"options", "seed"} & wish.keys():
        wish[name] = loaded(str(wish[name]))
    return wish


def _examine(way: Derivation, source: Dataset, wish: JSON, files: JSON) -> None:
    """Raises ValidationError for what the job would refuse, at the field that is at fault."""
    names = deriving.names_of(way.how, wish["name"])
    if max(map(len, names)) > 100 or wish["name"] in NAMES_OF_PAGES:
        raise ValidationError({"name": [_("This name cannot be taken. Choose another, or a shorter one.")]})
    if misfit := way.misfit(source.features):
        raise ValidationError({"source": [_(misfit)]})
    known = {each.name: each for each in fields(way.Options)}
    flaws = {name: flaw for name, value in wish["options"].items() if (flaw := _flaw(known.get(name), value))}
    wanted = deriving.uploads_of(way.how)
    flaws |= {name: _("This way takes no such file.") for name in files if name not in wanted}
    flaws |= {name: _("Send a file.") for name in wanted if known[name].metadata.get("needed") and name not in files}
    if flaws:
        raise ValidationError({"options": {name: [flaw] for name, flaw in flaws.items()}})
    try:
        way.check(way.Options(**wish["options"], **dict.fromkeys(files, "-")))
    except CannotDerive as unfit:
        raise ValidationError({"options": {unfit.option: [str(unfit)]} if unfit.option else [str(unfit)]}) from None
    except ValueError as unfit:
        raise ValidationError({"options": [str(unfit)]}) from None


def _flaw(option: Field[Any] | None, value: Any) -> str:
    """What is wrong with the value of an option, or "". A file comes as a file only."""
    if option is None or option.metadata.get("kind") == "upload":
        return _("There is no such option here.")
    kind, about = type(option.default), option.metadata
    if type(value) is not kind and not (kind is float and type(value) is int):
        return _("Give a value of the type %(kind)s.") % {"kind": KINDS[kind]}
    if "choices" in about and value not in about["choices"]:
        return _("This is none of the choices.")
    least, most = about.get("least", float("-inf")), about.get("most", float("inf"))
    if kind in (int, float) and not least <= value <= most:
        return _("This value is out of its bounds.")
    return _("At most 1,000 characters.") if kind is str and len(value) > 1000 else ""


def _way(way: Derivation) -> JSON:
    told = {"how": way.how, "title": _(way.title), "does": _(way.does), "outputs": list(way.outputs)}
    return told | {"options": [_option(each) for each in fields(way.Options)]}


def _option(each: Field[Any]) -> JSON:
    about = each.metadata
    kind = {"upload": "file", "mix": "shares"}.get(about.get("kind", ""), about.get("kind")) or KINDS[
        type(each.default)
    ]
    return {
        "name": each.name,
        "type": kind,
        "default": each.default,
        "label": _(about["label"]),
        "help": _(about["help"]) % about.get("values", {}) if about["help"] else "",
        "least": about.get("least"),
        "most": about.get("most"),
        "choices": list(about.get("choices", ())),
        "needed": bool(about.get("needed")),
    }
