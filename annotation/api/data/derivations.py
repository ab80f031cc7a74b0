"""Derivations: the available ones with their options, and jobs that run one."""

from dataclasses import Field, fields
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.operations import QueuedSerializer, operation
from annotation.api.pagination import SinglePage
from annotation.api.parsers import loaded
from annotation.api.serializers import JSON, Input, KindField, once, validate_input
from annotation.api.viewsets import ResourceViewSet
from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive, Derivation
from annotation.flow.data import derivation
from annotation.forms.projects import NAMES_OF_PAGES
from annotation.models import Dataset, Job
from annotation.operations import uploads

MOST_SEED = 2**53 - 1
FILES = sorted({name for how in DERIVATIONS for name in derivation.uploads_of(how)})
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string"}


class WayOptionSerializer(serializers.Serializer):
    """An option of a derivation, with its default."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=sorted({*KINDS.values(), "dataset", "datasets", "file", "shares"}))
    default = serializers.JSONField(allow_null=True)
    label = serializers.CharField()
    help = serializers.CharField(allow_blank=True)
    least = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)
    choices = serializers.ListField(child=serializers.CharField())
    needed = serializers.BooleanField(help_text="Whether it is required.")


class WaySerializer(serializers.Serializer):
    """A derivation: its title, what it does, the suffix of its names, and its options."""

    how = serializers.CharField()
    title = serializers.CharField()
    does = serializers.CharField()
    outputs = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="What is appended to the name, for each dataset that it makes.",
    )
    options = WayOptionSerializer(many=True)


class DerivationInput(Input):
    """A derivation to run. Options that are left out have the defaults of the list of derivations."""

    EXAMPLE = {"how": "splits", "source": "wells", "name": "parts", "seed": 7, "options": {}}

    how = KindField(choices=sorted(DERIVATIONS), help_text="One of `listDerivations`.")
    source = serializers.SlugField(max_length=100)
    name = serializers.SlugField(max_length=100)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)
    options = serializers.DictField(default=dict)


class DerivationForm(serializers.Serializer):
    """The same as a form, for derivations that need files: each a part named like its option; `options` is JSON."""

    how = KindField(choices=sorted(DERIVATIONS), help_text="One of `listDerivations`.")
    source = serializers.SlugField(max_length=100)
    name = serializers.SlugField(max_length=100)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)
    options = serializers.CharField(required=False)

    def get_fields(self) -> dict[str, serializers.Field]:
        return super().get_fields() | {name: serializers.FileField(required=False) for name in FILES}


class DerivationViewSet(ResourceViewSet):
    """Derivations."""

    serializer_class = WaySerializer
    pagination_class = SinglePage

    @operation()
    def list(self) -> Any:
        """List the derivations, with their options."""
        return [_way(each) for each in DERIVATIONS.values()]

    @operation(
        takes={"application/json": DerivationInput, "multipart/form-data": DerivationForm},
        gives=QueuedSerializer,
        id="deriveDataset",
    )
    def create(self) -> Job:
        """Derive a dataset from another, in a job.

        The same source, options and seed give the same dataset; the same request under the same name changes nothing.
        """
        files = dict(self.request.FILES.items())
        data = validate_input(DerivationInput, _body_fields(self.request.data, files))
        source = Dataset.objects.whole().filter(project=self.project, slug=data["source"]).first()
        if source is None:
            raise ValidationError({"source": [_("The project has no such dataset.")]})
        way = DERIVATIONS[data["how"]]
        _examine(way, source, data, files)
        kept = {name: {"path": str(uploads.keep(f)), "file_name": (f.name or "")[:255]} for name, f in files.items()}
        arguments = {"source": source.pk, "how": way.how, "name": data["name"], "seed": data["seed"]}
        arguments |= {"options": data["options"], "uploads": kept}
        title = _("%(what)s from %(source)s") % {"what": _(way.title), "source": source.slug}
        return self.enqueue("derive_dataset", title, arguments)


def _body_fields(body: Any, files: JSON) -> JSON:
    """The fields of a JSON or form body, without its files."""
    data = {name: body[name] for name in body if name not in files}
    if not isinstance(body, QueryDict):
        return data
    once(body)
    for name in {"options", "seed"} & data.keys():
        data[name] = loaded(str(data[name]))
    return data


def _examine(way: Derivation, source: Dataset, data: JSON, files: JSON) -> None:
    """Raise ValidationError, by field, for input that the job would refuse."""
    names = derivation.names_of(way.how, data["name"])
    if max(map(len, names)) > 100 or data["name"] in NAMES_OF_PAGES:
        raise ValidationError({"name": [_("This name is not available. Choose another or a shorter one.")]})
    if problem := way.source_problem(source.features):
        raise ValidationError({"source": [_(problem)]})
    known = {each.name: each for each in fields(way.Options)}
    flaws = {name: flaw for name, value in data["options"].items() if (flaw := _flaw(known.get(name), value))}
    wanted = derivation.uploads_of(way.how)
    flaws |= {name: _("This derivation takes no such file.") for name in files if name not in wanted}
    flaws |= {name: _("Send a file.") for name in wanted if known[name].metadata.get("needed") and name not in files}
    if flaws:
        raise ValidationError({"options": {name: [flaw] for name, flaw in flaws.items()}})
    try:
        way.check(way.Options(**data["options"], **dict.fromkeys(files, "-")))
    except CannotDerive as invalid:
        texts = [str(invalid)]
        raise ValidationError({"options": {invalid.option: texts} if invalid.option else texts}) from None
    except ValueError as invalid:
        raise ValidationError({"options": [str(invalid)]}) from None


def _flaw(option: Field[Any] | None, value: Any) -> str:
    """The error of an option's value, or "". A file option accepts only files."""
    if option is None or option.metadata.get("kind") == "upload":
        return _("There is no such option.")
    kind, about = type(option.default), option.metadata
    if type(value) is not kind and not (kind is float and type(value) is int):
        return _("Give a value of type %(kind)s.") % {"kind": KINDS[kind]}
    if "choices" in about and value not in about["choices"]:
        return _("This is none of the choices.")
    least, most = about.get("least", float("-inf")), about.get("most", float("inf"))
    if kind in (int, float) and not least <= value <= most:
        return _("This value is out of range.")
    return _("At most 1,000 characters.") if kind is str and len(value) > 1000 else ""


def _way(way: Derivation) -> JSON:
    data = {"how": way.how, "title": _(way.title), "does": _(way.does), "outputs": list(way.outputs)}
    return data | {"options": [_option(each) for each in fields(way.Options)]}


def _option(each: Field[Any]) -> JSON:
    about = each.metadata
    own = about.get("kind", "")
    kind = {"upload": "file", "mix": "shares"}.get(own, own) or KINDS[type(each.default)]
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
