"""Options of derivations that are one of a few words, on the page and in the command's way."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.derivations import DERIVATIONS
from annotation.flow.data.lineage import Family
from annotation.flow.setting_values import help_text
from annotation.forms.derivations import DeriveForm
from annotation.models import Dataset
from annotation.pure.setting_fields import read, settings_of
from tests.api.calling import caller
from tests.views.data.test_derivation import at, derive, posted


def test_a_choice_is_offered_in_words_and_only_its_words_are_taken(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    shown = client.get(at("wells", "dire-probe")).content.decode()
    assert '<option value="paper" selected>remaining facts, as in the paper</option>' in shown
    assert '<option value="released">' in shown
    refused = client.post(at("wells", "dire-probe"), posted("wells", "dire-probe", option_labels="theirs"))
    assert refused.status_code == 422
    assert refused.context["form"].errors.keys() == {"option_labels"}
    made = derive(client, "wells", "dire-probe", name="probe", option_labels="released").result
    assert Dataset.objects.get(slug="probe").lineage["options"]["labels"] == "released", made


WRONG: list[tuple[str, str, Any, str]] = [
    ("contexts", "paragraphs", 0, "Ensure this value is greater than or equal to 1."),
    ("sample", "count", 10**10, "Ensure this value is less than or equal to 1000000000."),
    ("sample", "count", "many", "Enter a whole number."),
    ("splits", "train", 1.5, "Ensure this value is less than or equal to 1."),
    ("splits", "train", "most", "Enter a number."),
    ("splits", "train", 0.9, "The shares of train, dev and test are 0.9 + 0.1 + 0.1."),
    ("dire-probe", "labels", "theirs", "“theirs” is not available. Choose one of: paper, released."),
    ("ablation:3", "seeds", 2, "Ensure this value is less than or equal to 1."),
    ("disconnection-inputs", "mask", "m" * 201, "Ensure this value has at most 200 characters (it has 201)."),
    ("join", "others", "", "This field is required."),
]


@pytest.mark.parametrize(("how", "name", "value", "result"), WRONG)
def test_what_is_wrong_is_refused_by_all_doors_in_the_same_words(
    how: str, name: str, value: Any, result: str, client: Any, alice: Any, dataset: Dataset
) -> None:
    client.force_login(alice)
    page = client.post(at("wells", how), posted("wells", how, **{f"option_{name}": str(value)}))
    assert page.status_code == 422
    assert any(result in error for error in page.context["form"].errors[f"option_{name}"])
    asked = {"how": how, "source": "wells", "name": "made", "options": {name: value}}
    [said] = caller(alice).post("derivations/", **asked).json()["errors"]
    assert (said["field"], result in said["detail"]) == (f"options.{name}", True)
    given = ["wells", "--project", "wells", "--how", how, "--name", "made", "--option", f"{name}={value}"]
    with pytest.raises(CommandError) as refused:
        call_command("derive_dataset", *given)
    assert f"options.{name}: " in str(refused.value)
    assert result in str(refused.value)
    assert not Dataset.objects.filter(slug__startswith="made").exists()


def test_every_door_has_each_option_of_each_derivation_in_its_words_and_limits(
    client: Any, alice: Any, dataset: Dataset
) -> None:
    listed = {row["how"]: row["options"] for row in caller(alice).get("derivations/").json()["results"]}
    for how, way in DERIVATIONS.items():
        known = settings_of(way.Options)
        page = DeriveForm(dataset, how, Family(dataset.project)).fields
        assert list(known) == [row["name"] for row in listed[how]]
        for row, one in zip(listed[how], known.values(), strict=True):
            assert (row["label"], row["help"]) == (one.label, help_text(one))
            assert (row["least"], row["most"], row["needed"]) == (one.least, one.most, one.required)
            assert row["choices"] == list(one.choices or ())
            if (field := page.get(f"option_{one.name}")) and one.kind not in ("dataset", "datasets"):
                limits = (getattr(field, "min_value", None), getattr(field, "max_value", None))
                assert (field.label, field.help_text, limits) == (one.label, help_text(one), (one.least, one.most))
        assert read(way.Options, {one.name: "x" for one in known.values() if one.required})
