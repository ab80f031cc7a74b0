"""The preregistration of a batch: registered once, before the first response."""

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import NotFound

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input
from annotation.flow.reports import preregistration
from annotation.flow.reports.preregistration import LABELS
from annotation.pure.reports.preregistration import LONGEST


def _text(what: str, *, required: bool) -> serializers.CharField:
    return serializers.CharField(max_length=LONGEST, required=required, allow_blank=not required, help_text=what)


class PreregistrationInput(Input):
    """The texts to register; the batch's settings are added."""

    EXAMPLE = {"hypotheses": "People answer better with all paragraphs.", "analysis": "McNemar's test, two-sided."}

    hypotheses = _text("What is expected.", required=True)
    design = _text("What the settings do not say of the design.", required=False)
    exclusions = _text("Which responses or HITs will be excluded.", required=False)
    analysis = _text("How the hypotheses will be tested.", required=True)


class DepartureSerializer(serializers.Serializer):
    """A setting that differs from what is registered."""

    setting = serializers.ChoiceField(choices=list(LABELS), help_text="Its name in the file.")
    registered = serializers.CharField(help_text="Its value in the file.")
    now = serializers.CharField(help_text="Its value now.")


class PreregistrationSerializer(serializers.Serializer):
    """What is registered, and what differs from it."""

    sha256 = serializers.CharField(help_text="SHA-256 of the file.")
    registered_at = serializers.DateTimeField(help_text="When it was registered.")
    document = serializers.DictField(help_text="The file: the texts, and the settings at that time.")
    late = serializers.BooleanField(help_text="Whether a response came in at the same instant or before.")
    differences = DepartureSerializer(many=True, help_text="Settings that differ from it now.")


class PreregistrationViewSet(BatchPartViewSet):
    """The preregistration of a batch."""

    serializer_class = PreregistrationSerializer
    single = True

    @operation()
    def retrieve(self) -> JSON:
        """What is registered for a batch, and what differs from it; 404 without any."""
        made = preregistration.registered(self.batch)
        if made is None:
            raise NotFound(_("Nothing is registered for this batch."))
        return preregistration.as_json(made)

    @action(takes=PreregistrationInput, gives=PreregistrationSerializer, id="preregisterBatch")
    def register(self, data: JSON) -> JSON:
        """Preregister a batch. Refused after its first response, and if something is registered already."""
        return preregistration.as_json(preregistration.register(self.batch, data, user=self.request.user))
