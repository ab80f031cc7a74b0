"""The contract of annotation/marketplaces/README.md, for every kind of marketplace that is found."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from annotation.marketplaces import base
from annotation.marketplaces.base import Denied, Marketplace, MarketplaceError, NotOffered, Place
from annotation.marketplaces.kinds import HERE, kinds
from annotation.marketplaces.models import Connection

KINDS = sorted(kinds())
AWAY = Place("http://127.0.0.1:9/", "us-east-1", "AKIATEST", "canary-secret", timeout=0.5)
REQUIRED = sorted(Marketplace.__abstractmethods__ - {"__init__"})
OPTIONAL = ["ensure_qualification", "grant", "has_bonus", "holders", "message", "pay_bonus", "qualification_named"]
OPTIONAL += ["reject", "revoke"]
TOGETHER = [{"pay_bonus", "has_bonus"}, {"ensure_qualification", "qualification_named", "holders", "grant", "revoke"}]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> type[Marketplace]:
    return kinds()[request.param]


def test_every_folder_with_a_marketplace_is_found() -> None:
    assert "mturk" in KINDS
    assert sorted(file.parent.name for file in HERE.glob("*/marketplace.py")) == KINDS
    assert max(map(len, KINDS)) <= (Connection._meta.get_field("kind").max_length or 0)


def test_it_has_what_every_marketplace_has(kind: type[Marketplace]) -> None:
    assert issubclass(kind, Marketplace)
    assert not inspect.isabstract(kind)
    assert all(kind.offers(operation) for operation in REQUIRED)


def test_its_operations_are_called_as_the_contract_says(kind: type[Marketplace]) -> None:
    for operation in [*REQUIRED, *OPTIONAL]:
        result, ours = (inspect.signature(getattr(cls, operation)) for cls in (Marketplace, kind))
        assert result.parameters == ours.parameters, operation


def test_it_offers_what_belongs_together_or_none_of_it(kind: type[Marketplace]) -> None:
    for group in TOGETHER:
        assert len({kind.offers(operation) for operation in group}) == 1, group


def test_a_place_that_does_not_answer_is_a_try_again(kind: type[Marketplace]) -> None:
    with pytest.raises(base.TryAgain):
        kind(AWAY).balance()


def test_a_guarded_place_inside_the_network_is_refused_without_a_call(kind: type[Marketplace]) -> None:
    inside = Place("http://127.0.0.1:9/", "us-east-1", "AKIATEST", "canary-secret", timeout=0.5, guarded=True)
    with pytest.raises(Denied):
        kind(inside).balance()


def test_no_error_and_no_text_of_it_shows_the_secret(kind: type[Marketplace]) -> None:
    with pytest.raises(MarketplaceError) as failed:
        kind(AWAY).balance()
    assert "canary-secret" not in f"{failed.value} {failed.value!r} {AWAY!r}"


def test_the_readme_names_every_operation() -> None:
    text = (Path(base.__file__).parent / "README.md").read_text()
    operations = [*REQUIRED, *OPTIONAL]
    assert [name for name in operations if f"`{name}" not in text] == []
    public = {name for name, _what in inspect.getmembers(Marketplace, inspect.isfunction) if not name.startswith("_")}
    assert public == set(operations)


class Small(Marketplace):
    """A marketplace without anything that may be left out."""

    def __init__(self, place: Place) -> None: ...
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
    assert not any(Small.offers(operation) for operation in OPTIONAL)
    with pytest.raises(NotOffered, match="reject"):
        Small(AWAY).reject("3A", text="No.")
    with pytest.raises(NotOffered, match="message"):
        Small(AWAY).message(["A1"], "Hello", "Hello.")
