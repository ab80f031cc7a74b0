"""Derivations: the available ones with their options, and jobs that run one."""

from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.operations import QueuedSerializer, operation
from annotation.api.pagination import SinglePage
from annotation.api.parsers import loaded
from annotation.api.serializers import JSON, Input, KindField, once, validate_input
from annotation.api.setting_fields import KINDS, WORDS, DescribedSerializer, described
from annotation.api.viewsets import ResourceViewSet
from annotation.derivations import DERIVATIONS
from annotation.derivations.base import Derivation
from annotation.flow.data import derivation
from annotation.flow.setting_values import NAMES_OF_PAGES, read_options
from annotation.models import Dataset, Job
from annotation.operations import uploads
from annotation.pure.setting_fields import settings_of

MOST_SEED = 2**53 - 1
FILES = sorted({name for how in DERIVATIONS for name in derivation.uploads_of(how)})


class WayOptionSerializer(DescribedSerializer):
    """An option of a derivation, with its default."""

    type = serializers.ChoiceField(choices=sorted({*WORDS.values(), *KINDS.values()} - {"object"}))


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
    source = serializers.SlugField(max_length=100)  # type: ignore[assignment]  # a field of that name
    name = serializers.SlugField(max_length=100)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)
    options = serializers.DictField(default=dict)


class DerivationForm(serializers.Serializer):
    """The same as a form, for derivations that need files: each a part named like its option; `options` is JSON."""

    how = KindField(choices=sorted(DERIVATIONS), help_text="One of `listDerivations`.")
    source = serializers.SlugField(max_length=100)  # type: ignore[assignment]  # a field of that name
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
    """Raise ValidationError or InvalidSettings, by field, for input that the job would refuse."""
    names = derivation.names_of(way.how, data["name"])
    if max(map(len, names)) > 100 or data["name"] in NAMES_OF_PAGES:
        raise ValidationError({"name": [_("This name is not available. Choose another or a shorter one.")]})
    if problem := way.source_problem(source.features):
        raise ValidationError({"source": [_(problem)]})
    wanted = set(derivation.uploads_of(way.how))
    flaws = {f"options.{name}": [_("This derivation takes no such file.")] for name in files.keys() - wanted}
    flaws |= {f"options.{name}": [_("Send a file.")] for name in wanted & data["options"].keys()}
    if flaws:
        raise ValidationError(flaws)
    read_options(way.Options, data["options"] | dict.fromkeys(files, "-"))


def _way(way: Derivation) -> JSON:
    data = {"how": way.how, "title": _(way.title), "does": _(way.does), "outputs": list(way.outputs)}
    return data | {"options": [described(one) for one in settings_of(way.Options).values()]}
