"""The pages of marketplaces: adding and testing one, launching there, and a batch's standing on one."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.marketplaces.flow import connections, hit_sync, publications
from annotation.marketplaces.models import BatchMarketplace, Connection, Publication
from annotation.models import Batch
from tests.marketplaces import visitors
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk

SECRET = "a test's own secret"


@pytest.fixture
def client(alice: Any) -> Client:
    browser = Client()
    browser.force_login(alice)
    return browser


def place(name: str, *args: Any) -> str:
    return reverse(name, args=["wells", *args])


def added(client: Client, **fields: str) -> Any:
    wish = {"name": "there", "preset": "other", "key_id": "AKIATEST", "secret": SECRET, "region": "us-east-1"}
    return client.post(place("marketplaces"), {**wish, "fees": "house", **fields})


def page(client: Client, address: str, **more: Any) -> str:
    reply = client.get(address, **more)
    assert reply.status_code == 200
    return str(reply.content.decode())


def test_a_marketplace_is_added_and_answers(client: Client, elsewhere: FakeMTurk) -> None:
    assert added(client, endpoint_url=elsewhere.url).status_code == 303
    row = Connection.objects.get()
    client.post(place("marketplace-test", row.pk))
    shown = page(client, place("marketplaces"))
    assert "Its balance is $10000.00" in shown
    assert SECRET not in shown
    assert row.worker_origin == elsewhere.url.rstrip("/")


def test_this_installation_is_the_preset_that_needs_no_address(client: Client) -> None:
    added(client, preset="here")
    row = Connection.objects.get()
    assert row.endpoint_url == connections.presets()["here"]["endpoint_url"]


@pytest.mark.parametrize(
    "endpoint", ["ftp://example.org/", "example.org", "https://a@example.org/", "https://exa mple.org/"]
)
def test_what_is_no_address_is_refused(client: Client, endpoint: str) -> None:
    assert added(client, endpoint_url=endpoint).status_code == 422
    assert not Connection.objects.exists()


def test_an_installation_that_others_reach_calls_public_addresses_only(client: Client, settings: Any) -> None:
    settings.LOCAL, settings.PUBLIC_URL = False, "https://hopscribe.lab.example"
    assert added(client, endpoint_url="http://127.0.0.1:1/").status_code == 422
    added(client, endpoint_url="https://127.0.0.1:1/")
    row = Connection.objects.get()
    client.post(place("marketplace-test", row.pk))
    assert "an address inside this network" in page(client, place("marketplaces"))
    settings.MARKETPLACE_HOSTS = ["127.0.0.1"]
    client.post(place("marketplace-test", row.pk))
    assert "Could not connect" in page(client, place("marketplaces"))


def test_amazons_own_is_listed_and_refuses(client: Client) -> None:
    added(client, preset="aws")
    client.post(place("marketplace-test", Connection.objects.get().pk))
    shown = page(client, place("marketplaces"))
    assert "Amazon Mechanical Turk (closed in September 2026)" in shown
    assert "Amazon closed Mechanical Turk on 30 September 2026" in shown


def test_keys_are_changed_and_the_old_secret_is_not_shown(client: Client, connection: Any) -> None:
    address = place("marketplace-keys", connection.pk)
    assert SECRET not in page(client, address)
    assert client.post(address, {"key_id": "AKIANEW", "secret": "another"}).status_code == 303
    connection.refresh_from_db()
    assert (connection.key_id, connection.secret) == ("AKIANEW", "another")


def test_only_a_marketplace_without_batches_is_removed(client: Client, abroad: Any, connection: Any) -> None:
    client.post(place("marketplace-remove", connection.pk))
    assert Connection.objects.filter(pk=connection.pk).exists()
    Publication.objects.all().delete()
    BatchMarketplace.objects.all().delete()
    client.post(place("marketplace-remove", connection.pk))
    assert not Connection.objects.exists()


def test_a_batch_is_launched_on_a_marketplace_and_published(
    client: Client,
    dataset: Any,
    connection: Any,
    elsewhere: FakeMTurk,
) -> None:
    form = {"title": "Wells abroad", "datasets": dataset.pk, "task": "answer", "seed": 0, "assignments_per_hit": 2}
    form |= {
        "meeting": "one",
        "purpose": "production",
        "who": "all",
        "instructions": "Read.",
        "launch": "1",
        "paid": "on",
    }
    form |= {"reward": "0.40", "auto_approve_days": 3, "marketplace": connection.pk}
    reply = client.post(place("batch-new"), form)
    assert reply.status_code == 303, reply.content.decode()[:3000]
    jobs.run_due_work()
    made = Batch.objects.get(slug="wells-abroad")
    assert publications.counts(made)["published"] == len(elsewhere.hits) == 4
    assert "4 of 4" in page(client, place("batch-marketplace", made.slug))
    assert "Marketplace" in page(client, place("batch", made.slug))


def test_the_numbers_ask_for_themselves_until_all_is_sent(client: Client, abroad: Any, connection: Any) -> None:
    address = place("batch-marketplace", abroad.slug)
    shown = page(client, address, headers={"HX-Request": "true"})
    assert "every 2s" in shown
    assert "<html" not in shown
    publications.send_due(connection, patience=QUICK)
    assert "every 2s" not in page(client, address, headers={"HX-Request": "true"})


def test_troubles_and_errors_are_shown_with_what_to_do(
    client: Client,
    published: Any,
    connection: Any,
    elsewhere: FakeMTurk,
) -> None:
    row = publications.of_batch(published).first()
    elsewhere.submit(row.external_id, "ANNA", answer="<hers/>")
    visitors.look_now(connection)
    Publication.objects.filter(pk=row.pk).update(error="This is <b>why</b>.")
    shown = page(client, place("batch-marketplace", published.slug))
    assert "this server has no response" in shown
    assert "&lt;hers/&gt;" in shown
    assert "This is &lt;b&gt;why&lt;/b&gt;." in shown


def test_strays_are_shown_after_a_look_and_ended_on_demand(
    client: Client,
    published: Any,
    connection: Any,
    elsewhere: FakeMTurk,
) -> None:
    mark = publications.of_batch(published).first().annotation.partition(":")[0]
    stray = {"RequesterAnnotation": f"{mark}:gone", "Question": "", "MaxAssignments": 1, "LifetimeInSeconds": 99}
    key = elsewhere.answer("CreateHITWithHITType", {"HITTypeId": next(iter(elsewhere.types)), **stray})["HIT"]["HITId"]
    client.post(place("batch-marketplace-act", published.slug, "check"))
    jobs.run_due_work()
    assert key in page(client, place("batch-marketplace", published.slug))
    client.post(place("batch-marketplace-act", published.slug, "end"), {"hit": key})
    assert elsewhere.hits[key]["Expiration"] == 86_400


def test_a_day_is_set_until_which_hits_are_given_out(client: Client, published: Any) -> None:
    client.post(place("batch-marketplace-act", published.slug, "until"), {"until": "2027-03-01"})
    assert {row.closes_at.date().isoformat() for row in publications.of_batch(published)} == {"2027-03-01"}


def test_a_batch_of_our_own_has_no_such_page(client: Client, batch: Any) -> None:
    assert client.get(place("batch-marketplace", batch.slug)).status_code == 404
    assert "Marketplace</a>" not in page(client, place("batch", batch.slug))


def test_what_somebody_else_is_looking_at_is_left_to_them(
    published: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    line = visitors.session(connection)
    row = publications.of_batch(published).select_related("hit__batch").first()
    publications.of_batch(published).update(lease_until="2100-01-01T00:00Z")
    assert not hit_sync.look_up(row, line)
