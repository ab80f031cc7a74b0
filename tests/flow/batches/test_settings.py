"""The settings of a batch: said once, known to every door, refused by all doors in the same words."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.api.batches.serializers import NewDraftInput, OneBatchSerializer
from annotation.flow.batches import batch_drafts
from annotation.flow.batches.parsing import Reading, parse
from annotation.flow.batches.settings import SETTINGS, BatchSettings, HiddenGold, stored
from annotation.flow.reports import preregistration
from annotation.flow.setting_values import InvalidSettings
from annotation.forms.batches import GOLD_FIELDS, LaunchForm
from annotation.models import Batch, BatchModel, ModelPrediction
from annotation.pure.setting_fields import settings_of
from annotation.registry import default_instructions
from tests.api.calling import caller
from tests.batches import create_batch
from tests.flow.setting_doors import check_form, check_input, check_options
from tests.long_forms import examples
from tests.management.conftest import Run, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
GOLD = {name: one for name, one in settings_of(HiddenGold).items() if name != "datasets"}
# A page has several controls for these, or one whose words are its own.
OWN_CONTROLS = {"people": "who", "requirements": "", "options": "", "checks": "checks"}


@pytest.fixture
def unfinished(project: Any) -> Any:
    """A project whose consent text has both places left."""
    from annotation.pure.people.consent_text import DEFAULT

    project.consent = DEFAULT
    project.save()
    return project


def test_the_page_has_each_setting_in_its_words_and_limits(unfinished: Any, dataset: Any) -> None:
    draft = create_batch(unfinished, "draft", task="answer", datasets=[dataset])
    sure = BatchModel.objects.create(batch=draft, name="sure")
    ModelPrediction.objects.create(model=sure, item=dataset.items.all()[0], answer={}, confidence=1)
    form = LaunchForm(unfinished, batch=draft)
    assert {OWN_CONTROLS.get(name, name) for name in SETTINGS} - {""} <= set(form.fields)
    check_form(form.fields, {name: one for name, one in SETTINGS.items() if name not in OWN_CONTROLS})
    assert set(form.fields) - set(LaunchForm(unfinished).fields) == {"sample_by"}, "a new batch has no predictions"
    for name, one in GOLD.items():
        field = form.fields[GOLD_FIELDS[name]]
        assert (str(field.label), field.min_value, field.max_value) == (one.label, one.least, one.most)


def test_the_api_takes_each_setting_in_its_words_and_limits_and_shows_it(db: None) -> None:
    taken, shown = NewDraftInput().fields, OneBatchSerializer().fields
    assert set(SETTINGS) <= set(taken)
    assert set(SETTINGS) - {"contact", "ethics"} <= set(shown)
    check_input(taken, SETTINGS.values())
    gold = taken["checks"].fields
    assert {name: (gold[name].min_value, gold[name].max_value) for name in GOLD} == {
        name: (one.least, one.most) for name, one in GOLD.items()
    }


@pytest.mark.parametrize("command", ["create_batch", "create_qualification_round"])
def test_the_command_has_an_option_for_each_setting_in_its_words(command: str) -> None:
    settled = {"name"} if command == "create_batch" else {
        *("name", "assignments_per_hit", "purpose", "unseen_only", "sample", "sample_by", "marketplace", "checks"),
    }  # fmt: skip
    known = {name: one for name, one in SETTINGS.items() if name not in settled}
    check_options(command, (known | (GOLD if command == "create_batch" else {})).values())


def test_a_launched_batch_shows_each_setting_and_a_preregistration_those_that_matter(
    dataset: Any, project: Any, alice: Any
) -> None:
    batch = create_batch(project, "shown", task="answer", datasets=[dataset], counts_pasting=True)
    Batch.objects.update(state=Batch.State.OPEN, launched_at="2026-01-01T00:00Z")
    client = Client()
    client.force_login(alice)
    page = unescape(client.get(reverse("batch-settings", args=[project.slug, batch.slug])).content.decode())
    for name, one in SETTINGS.items():
        if name not in {"contact", "ethics", "options", "instructions", "requirements"}:
            assert one.label in page, name
    registered = preregistration.settings_of(batch)
    assert set(registered) == set(preregistration.LABELS)
    assert {name for name, one in SETTINGS.items() if one.registered} <= set(registered)
    assert registered["counts_pasting"] is True


WRONG: list[tuple[dict[str, Any], str, list[str]]] = [
    ({"sample": 0}, "sample", ["--sample", "0"]),
    ({"most_per_worker": 0}, "most_per_worker", ["--most-per-worker", "0"]),
    ({"two_adjudicators": True}, "two_adjudicators", ["--two-adjudicators"]),
    ({"people": ["nobody"]}, "people", ["--worker", "nobody"]),
    ({"paid": True, "reward": None}, "reward", ["--paid"]),
    ({"task": "sufficiency"}, "task", ["--task", "sufficiency"]),
    ({"checks": {"percent": 10}}, "checks", []),
    (
        {"checks": {"percent": 10, "datasets": ["wells"], "warn_below_percent": 40, "pause_below_percent": 50}},
        "checks",
        ["--checks", "wells", "--warn-below", "40", "--pause-below", "50"],
    ),
]


@pytest.mark.parametrize(("asked", "field", "options"), WRONG, ids=lambda each: str(each)[:30])
def test_what_is_wrong_is_refused_by_all_doors_in_the_same_words(
    asked: dict[str, Any],
    field: str,
    options: list[str],
    alice: Any,
    project: Any,
    dataset: Any,
    run: Run,  # noqa: F811
) -> None:
    """The page posts what its own test posts; here its form is asked, which shows the problems beside the fields."""
    whole = {"title": "T", "task": "answer", "datasets": ["wells"], **asked}
    with pytest.raises(InvalidSettings) as refused:
        parse(project, whole)
    [problem] = refused.value.problems[field]
    answered = caller(alice).post("batches/", **{k: v for k, v in whole.items() if v is not None})
    assert answered.status_code == 422
    said = {row["field"]: row["detail"] for row in answered.json()["errors"]}
    assert re.sub(r"\W", "", said[field].lower()) == re.sub(r"\W", "", problem.lower())
    if options:
        ended = run("create_batch", "t", "--project", project.slug, "--task", "answer", "--dataset", "wells", *options)
        assert ended.code in (1, 2)
        assert field.replace("_", "-") in ended.err or problem in ended.err
    assert not Batch.everything.exists()


def test_stored_settings_are_read_back_as_they_were(dataset: Any, project: Any, bob: Any) -> None:
    asked = {"title": "T", "task": "answer", "datasets": ["wells"], "sample": 2, "seed": 9, "people": [bob.pseudonym]}
    asked |= {"paid": True, "reward": "0.25", "auto_approve_days": 3, "expected_minutes": 2.5, "same_order": True}
    asked |= {"requirements": [{"type": "00000000000000000040", "comparator": "GreaterThan", "values": [5]}]}
    parsed = parse(project, asked)
    batch = batch_drafts.create_batch(project, parsed)
    assert parse(project, {}, batch=batch) == parsed
    held = stored(batch)
    changed = parse(project, {"sample": "", "reward": "0.30"}, batch=batch)
    assert (changed.sample, str(changed.reward), changed.seed) == (None, "0.30", held["seed"])


def test_a_launched_batch_changes_only_what_may_change(dataset: Any, project: Any) -> None:
    batch = create_batch(project, "open", task="answer", datasets=[dataset])
    Batch.objects.update(state=Batch.State.OPEN, launched_at="2026-01-01T00:00Z")
    batch.refresh_from_db()
    assert parse(project, {"title": "New"}, batch=batch).title == "New"
    with pytest.raises(InvalidSettings, match="seed: This cannot be changed after the launch"):
        parse(project, {"seed": 5}, batch=batch)


def test_while_a_batch_is_being_launched_only_what_may_change_is_accepted(dataset: Any, project: Any) -> None:
    batch = create_batch(project, "soon", task="answer", datasets=[dataset])
    Batch.objects.update(state=Batch.State.LAUNCHING)
    batch.refresh_from_db()
    with pytest.raises(InvalidSettings, match="seed: This cannot be changed after the launch"):
        parse(project, {"seed": 5}, batch=batch)


@pytest.mark.parametrize("text", ["", "closed_book"])
def test_a_change_of_another_setting_leaves_the_instructions_alone(text: str, dataset: Any, project: Any) -> None:
    """Even if they are empty, or what another variant of the task proposes: workers would have to read them again."""
    batch = create_batch(project, "open", task="answer", datasets=[dataset])
    text = default_instructions("answer", text) if text else ""
    batch.instructions_versions.update(text=text)
    Batch.objects.update(state=Batch.State.OPEN, launched_at="2026-01-01T00:00Z")
    batch = Batch.objects.get()
    batch_drafts.change_batch(batch, parse(project, {"title": "New"}, batch=batch))
    assert [version.text for version in batch.instructions_versions.all()] == [text]


def test_a_time_below_the_limit_stays_where_another_setting_changes(dataset: Any, project: Any, alice: Any) -> None:
    """Tasks estimate seconds for some items, which is less than a requester can enter."""
    for state in (Batch.State.DRAFT, Batch.State.OPEN):
        Batch.everything.all().delete()
        batch = create_batch(project, "quick", task="answer", datasets=[dataset])
        launched = None if state == Batch.State.DRAFT else "2026-01-01T00:00Z"
        Batch.objects.update(state=state, launched_at=launched, expected_seconds=12)
        assert caller(alice).patch("batches/quick/", title="New").status_code == 200
        batch.refresh_from_db()
        assert (batch.title, batch.expected_seconds) == ("New", 12)
    client = Client()
    client.force_login(alice)
    page = reverse("batch-settings", args=[project.slug, batch.slug])
    assert 'name="expected_minutes" value' not in client.get(page).content.decode()
    assert client.post(page, {"title": "Newer", "expected_minutes": "", "who": "all"}).status_code == 303
    batch.refresh_from_db()
    assert (batch.title, batch.expected_seconds) == ("Newer", 12)


JUNK = st.none() | st.booleans() | st.integers(-3, 200) | st.floats() | st.sampled_from(["", "x", "answer", "5"])
SHARED = [HealthCheck.function_scoped_fixture]  # nothing is stored, so all examples may share the rows
LISTS = {"datasets", "people", "requirements", "options", "checks", "marketplace"}
SPOILED = st.dictionaries(st.sampled_from(sorted(SETTINGS.keys() - LISTS)), JUNK)


@given(data=SPOILED)
@settings(
    max_examples=examples(30, soak=300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_is_given_becomes_settings_or_is_refused(data: dict[str, Any], dataset: Any, project: Any) -> None:
    whole = {"title": "T", "task": "answer", "datasets": ["wells"]} | data
    for asked in (data, whole):
        found = Reading(project, asked, launching=True)
        assert found.problems.keys() <= SETTINGS.keys()
        assert found.problems or BatchSettings(**found.values).columns()
