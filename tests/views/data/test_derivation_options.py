"""Options of derivations that are one of a few words, on the page and in the command's way."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.data import derivation
from annotation.flow.errors import Refused
from annotation.models import Dataset
from tests.views.data.test_derivation import at, derive, posted


def test_a_choice_is_offered_in_words_and_only_its_words_are_taken(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    shown = client.get(at("wells", "dire-probe")).content.decode()
    assert '<option value="paper" selected>remaining facts, as in the paper</option>' in shown
    assert '<option value="released">' in shown
    refused = client.post(at("wells", "dire-probe"), posted("wells", "dire-probe", option_labels="theirs"))
    assert refused.status_code == 422
    assert refused.context["form"].errors.keys() == {"option_labels"}
    with pytest.raises(Refused, match="The option labels must be one of paper, released, not 'theirs'"):
        derivation.derive_dataset(dataset, how="dire-probe", name="probe", options={"labels": "theirs"})
    made = derive(client, "wells", "dire-probe", name="probe", option_labels="released").result
    assert Dataset.objects.get(slug="probe").lineage["options"]["labels"] == "released", made
