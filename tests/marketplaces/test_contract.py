"""The contract of annotation/marketplaces/README.md, for every kind of marketplace that is found."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from annotation.marketplaces import base
from annotation.marketplaces.base import Denied, Endpoint, HitMarketplace, Marketplace, MarketplaceError, NotOffered
from annotation.marketplaces.kinds import HERE, kinds, names_of
from annotation.marketplaces.models import Connection
from annotation.marketplaces.study_base import Outcome, StudyMarketplace, Ticket

KINDS = sorted(kinds())
SHAPES: list[type[Marketplace]] = [HitMarketplace, StudyMarketplace]
AWAY = Endpoint("http://127.0.0.1:9/", "us-east-1", "AKIATEST", "canary-secret", timeout=0.5)
INSIDE = Endpoint("http://127.0.0.1:9/", "us-east-1", "AKIATEST", "canary-secret", timeout=0.5, guarded=True)
TOGETHER = [
    {"ensure_qualification", "qualification_named", "holders", "grant", "revoke"},
    {"pay_bonus", "has_bonus"},
    {"create_study", "update_study", "study", "publish", "pause", "start", "stop", "set_places"},
    {"schedule", "unschedule"},
    {"submission", "submissions", "approve"},
    {"prepare_bonuses", "pay_bonuses"},
    {"ensure_group", "group_members", "add_to_group", "remove_from_group"},
    {"subscribe", "unsubscribe", "subscriptions", "verify"},
]


def shape_of(kind: type[Marketplace]) -> type[Marketplace]:
    return next(shape for shape in SHAPES if issubclass(kind, shape))


def operations_of(shape: type[Marketplace]) -> set[str]:
    found = inspect.getmembers(shape, lambda member: inspect.isfunction(member) or inspect.ismethod(member))
    return {name for name, _what in found if not name.startswith("_")} - {"offers"}


def required(shape: type[Marketplace]) -> list[str]:
    return sorted(shape.__abstractmethods__ - {"__init__"})


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> type[Marketplace]:
    return kinds()[request.param]


@pytest.fixture(params=[name for name in KINDS if kinds()[name].offers("balance")])
def called(request: pytest.FixtureRequest) -> type[Marketplace]:
    """A kind that is called over the network."""
    return kinds()[request.param]


@pytest.fixture(params=names_of(StudyMarketplace))
def panel(request: pytest.FixtureRequest) -> type[StudyMarketplace]:
    found = kinds()[request.param]
    assert issubclass(found, StudyMarketplace)
    return found


def test_every_folder_with_a_marketplace_is_found() -> None:
    assert {"link", "mturk"} <= set(KINDS)
    assert sorted(file.parent.name for file in HERE.glob("*/marketplace.py")) == KINDS
    assert max(map(len, KINDS)) <= (Connection._meta.get_field("kind").max_length or 0)


def test_it_has_what_every_marketplace_of_its_shape_has(kind: type[Marketplace]) -> None:
    assert [shape for shape in SHAPES if issubclass(kind, shape)] == [shape_of(kind)]
    assert not inspect.isabstract(kind)
    assert all(kind.offers(operation) for operation in required(shape_of(kind)))


def test_its_operations_are_called_as_the_contract_says(kind: type[Marketplace]) -> None:
    for operation in sorted(operations_of(shape_of(kind))):
        result, ours = (inspect.signature(getattr(cls, operation)) for cls in (shape_of(kind), kind))
        assert result.parameters == ours.parameters, operation


def test_it_offers_what_belongs_together_or_none_of_it(kind: type[Marketplace]) -> None:
    for group in TOGETHER:
        own = group if group <= operations_of(shape_of(kind)) else set()
        assert len({kind.offers(operation) for operation in own}) <= 1, group


def test_a_place_that_does_not_answer_is_a_try_again(called: type[Marketplace]) -> None:
    with pytest.raises(base.TryAgain):
        called(AWAY).balance()


def test_a_guarded_place_inside_the_network_is_refused_without_a_call(called: type[Marketplace]) -> None:
    with pytest.raises(Denied):
        called(INSIDE).balance()


def test_no_error_and_no_text_of_it_shows_the_secret(called: type[Marketplace]) -> None:
    with pytest.raises(MarketplaceError) as failed:
        called(AWAY).balance()
    assert "canary-secret" not in f"{failed.value} {failed.value!r} {AWAY!r}"


def test_a_participant_is_known_by_the_url_and_goes_back_by_one_without_our_secret(
    panel: type[StudyMarketplace],
) -> None:
    place = panel(AWAY)
    assert place.ticket({}).participant == ""
    assert Outcome.DONE in panel.codes
    for outcome in panel.codes:
        url = place.return_url(outcome, "C0DE", Ticket("someone", "somewhere"))
        assert url == "" or "C0DE" in url
        assert "canary-secret" not in url


def test_the_readme_names_every_operation() -> None:
    text = (Path(base.__file__).parent / "README.md").read_text()
    for shape in SHAPES:
        assert [name for name in sorted(operations_of(shape)) if f"`{name}" not in text] == []
    assert set().union(*TOGETHER) <= set().union(*map(operations_of, SHAPES))


class Small(HitMarketplace):
    """A marketplace without anything that may be left out."""

    def __init__(self, place: Endpoint) -> None: ...
    def balance(self): ...
    def ensure_type(self, terms): ...
    def publish(self, offer): ...
    def look(self, external_id): ...
    def list_hits(self): ...
    def extend(self, external_id, to, *, token): ...
    def expire(self, external_id, when): ...
    def assignments(self, external_id): ...
    def approve(self, assignment, *, text="", override=False): ...


def test_what_a_class_leaves_out_is_not_offered_and_a_definite_no() -> None:
    left_out = operations_of(HitMarketplace) - set(required(HitMarketplace))
    assert not any(Small.offers(operation) for operation in left_out)
    with pytest.raises(NotOffered, match="reject"):
        Small(AWAY).reject("3A", text="No.")
    with pytest.raises(NotOffered, match="message"):
        Small(AWAY).message(["A1"], "Hello", "Hello.")
