"""What a planned study can find: power, smallest difference, and what a budget buys."""

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.operations import operation
from annotation.api.reports.reports import TableSerializer, table_data
from annotation.api.serializers import JSON, Filter
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.errors import Refused
from annotation.flow.reports import power_plan
from annotation.models import Batch
from annotation.pure.reports import tables
from annotation.pure.statistics.power import KINDS, MOST_RESPONSES, PAIRED


def _share(text: str) -> serializers.FloatField:
    return serializers.FloatField(min_value=0, max_value=1, required=False, help_text=text)


class PowerFilter(Filter):
    """A plan. Rates and shares are from 0 to 1."""

    kind = serializers.ChoiceField(
        choices=KINDS, default=PAIRED, help_text="Two conditions on the same items, on different ones, or one rate."
    )
    items = serializers.IntegerField(
        min_value=2, max_value=MOST_RESPONSES, default=115, help_text="Items in each condition."
    )
    answers = serializers.IntegerField(min_value=1, max_value=100, default=3, help_text="Responses to an item.")
    workers = serializers.IntegerField(
        min_value=2, max_value=10_000, default=30, help_text="Workers in each condition."
    )
    first = _share("Expected rate of right responses; by default the pilot's, else 0.8.")
    second = _share("Rate of the other condition, or the value to compare with; by default 0.05 less than `first`.")
    by_item = _share("Share of the variance between items; by default the pilot's, else 0.5.")
    by_worker = _share("Share of the variance between workers; by default the pilot's, else 0.05.")
    alike = _share("Correlation of an item's effects in both conditions; 0.8 by default.")
    pilot = serializers.SlugField(required=False, help_text="A batch whose responses give rate and shares.")
    counts = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        help_text="Of a pilot's ratings: a response is right if they fulfil this, such as `faithful >= 3`; by default "
        "if all of it is as gold has it.",
    )
    price = serializers.DecimalField(
        max_digits=8, decimal_places=2, min_value=0, required=False, help_text="Of a response with fees, in dollars."
    )
    budget = serializers.DecimalField(
        max_digits=9, decimal_places=2, min_value=0, required=False, help_text="In dollars; needs `price`."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**53 - 1, default=0)


class SimulatedShareSerializer(serializers.Serializer):
    """A share of simulations with its 95 % interval; `n` counts the simulations."""

    value = serializers.FloatField(help_text="The share.")
    low = serializers.FloatField(help_text="Lower end of the interval.")
    high = serializers.FloatField(help_text="Upper end of the interval.")
    n = serializers.IntegerField(help_text="Simulations.")


class PowerPilotSerializer(serializers.Serializer):
    """What the pilot shows."""

    batch = serializers.CharField()
    counts = serializers.CharField(help_text="What the ratings of a right response fulfil; empty: gold says it.")
    rate = serializers.FloatField(help_text="Rate of right responses.")
    by_item = serializers.FloatField(allow_null=True, help_text="Null: no item has two responses.")
    by_worker = serializers.FloatField(allow_null=True, help_text="Null: no worker has two responses.")
    items = serializers.IntegerField(help_text="Items of the pilot.")
    workers = serializers.IntegerField(help_text="Workers of the pilot.")
    responses = serializers.IntegerField(help_text="Responses of the pilot.")


class PowerSerializer(serializers.Serializer):
    """What the plan can find, with everything that it was computed from."""

    kind = serializers.ChoiceField(choices=KINDS)
    first = serializers.FloatField(help_text="Expected rate of right responses.")
    second = serializers.FloatField(help_text="Rate of the other condition, or the value to compare with.")
    items = serializers.IntegerField(help_text="Items in each condition.")
    answers = serializers.IntegerField(help_text="Responses to an item in each condition.")
    workers = serializers.IntegerField(help_text="Workers in each condition.")
    by_item = serializers.FloatField(help_text="Share of the variance between items.")
    by_worker = serializers.FloatField(help_text="Share of the variance between workers.")
    alike = serializers.FloatField(help_text="Correlation of an item's effects in both conditions.")
    responses = serializers.IntegerField(help_text="Responses of all conditions.")
    people = serializers.IntegerField(help_text="Workers of all conditions.")
    power = SimulatedShareSerializer(help_text="Share of simulations that find the difference.")
    false_alarms = SimulatedShareSerializer(help_text="The same where nothing differs.")
    margin = serializers.FloatField(help_text="Median half of the 95 % interval.")
    detectable = serializers.FloatField(
        allow_null=True,
        help_text="Smallest difference found with the target power, in the planned direction; null: out of reach.",
    )
    items_needed = serializers.IntegerField(
        allow_null=True, help_text="Fewest items with the target power; null: out of reach."
    )
    level = serializers.FloatField(help_text="Of the two-sided test.")
    target = serializers.FloatField(help_text="The target power.")
    simulations = serializers.IntegerField(help_text="Simulated data sets.")
    seed = serializers.IntegerField()
    pilot = PowerPilotSerializer(allow_null=True, help_text="What the pilot shows; null: the plan has none.")
    text = serializers.CharField(help_text="The plan in sentences that a paper can quote.")
    tables = TableSerializer(many=True)


class PowerViewSet(ResourceViewSet):
    """The power of a plan."""

    serializer_class = PowerSerializer
    single = True

    @operation(query=PowerFilter)
    def retrieve(self, query: JSON) -> JSON:
        """What a planned comparison, or a rate, can find, by simulation; nothing is stored."""
        pilot = None
        if query.get("pilot"):
            pilot = Batch.objects.filter(project=self.project, slug=query["pilot"]).first()
            if pilot is None:
                raise ValidationError({"pilot": [_("There is no batch %(name)s.") % {"name": query["pilot"]}]})
        try:
            found = power_plan.plan(query, pilot=pilot)
        except Refused as why:
            raise ValidationError(str(why)) from None
        text = " ".join(tables.sentence(part, _) for part in found["paragraph"])
        return found | {"text": text, "tables": [table_data(table) for table in found["tables"]]}
