"""Asking a model: what is stored, repeated, counted and refused."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.db.models import Sum

from annotation.flow.batches.confidence_draw import predictions_of
from annotation.flow.batches.suggestions import models_of
from annotation.flow.errors import Refused
from annotation.flow.reports.model_predictions import delete_predictions, store_predictions
from annotation.judges import calls, conversation, prompts, runs
from annotation.judges.models import ModelCall, ModelRun
from annotation.models import BatchModel, ModelPrediction
from tests.judges.double import TOKENS_OUT, Double
from tests.long_forms import first

PRICED = {"price_in": Decimal("2.5"), "price_out": Decimal(10), "most_calls": None, "most_cost": Decimal(5)}


def states(run: ModelRun) -> list[str]:
    return sorted(run.calls.values_list("state", flat=True))


def test_each_item_is_answered_once_and_checked_like_a_workers(asked: Callable[..., Any], double: Double) -> None:
    run = asked(samples=2, **PRICED)
    assert (run.state, run.trouble, states(run)) == ("done", "", ["answered"] * 8)
    stored = ModelPrediction.objects.filter(model__batch=run.batch, model__name="oracle-1").order_by("item", "run")
    assert [row.run for row in stored] == [1, 2] * 4, "one for each sample"
    assert all(set(row.answer) == {"clear", "natural"} for row in stored)
    assert sum(row.cost for row in stored) == run.spent
    assert {one.runs for one in predictions_of(run.batch, "oracle-1")} == {2}
    assert len(double.requests) == 8 == run.calls_made
    assert run.spent == run.calls.aggregate(cost=Sum("cost"))["cost"] < calls.worst(run, 20_000)
    again = asked(samples=2, **PRICED)
    assert again.pk == run.pk
    assert len(double.requests) == 8, "what is stored is never asked again"


def test_the_key_is_sent_sealed_and_forgotten_when_the_run_is_done(asked: Callable[..., Any], double: Double) -> None:
    from django.db import connection

    from tests.judges.conftest import KEY

    double.script = ["401"]
    run = asked()
    assert (run.state, KEY in run.trouble, "401" in run.trouble) == ("paused", False, True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM judges_modelrun")
        assert KEY not in cursor.fetchone()[0]
    run = asked()
    assert (run.state, run.secret) == ("done", "")
    assert {head["Authorization"] for head in double.headers} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("fault", ["429", "500", "503", "cut", "malformed"])
def test_a_failed_request_is_repeated(fault: str, asked: Callable[..., Any], double: Double) -> None:
    double.script = [fault] * 3
    run = asked(**PRICED)
    assert (run.state, states(run)) == ("done", ["answered"] * 4 + ["failed"] * 3)
    counted = run.calls.filter(state="failed").aggregate(cost=Sum("cost"))["cost"]
    assert (counted == 0) == (fault == "429"), "only what was not worked on is free"


def test_a_slow_endpoint_is_given_up_and_asked_again(
    asked: Callable[..., Any], double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation.ChatClient.__init__, "__kwdefaults__", {"seconds": 0.3})
    double.script = ["slow"]
    run = asked()
    assert (run.state, states(run)) == ("done", ["answered"] * 4 + ["failed"])


def test_an_endpoint_that_keeps_failing_pauses_the_run_with_its_words(
    asked: Callable[..., Any], double: Double
) -> None:
    double.faults = {"503": 1.0}
    run = asked(concurrency=2)
    assert run.state == "paused"
    assert "HTTP 503" in run.trouble
    assert len(double.requests) <= 12, "five rounds of two, and what was under way"
    double.faults = {}
    assert asked(concurrency=2).state == "done"


def test_a_reply_that_does_not_fit_is_repaired_once_or_counted(asked: Callable[..., Any], double: Double) -> None:
    double.script = ["prose"]
    run = asked(concurrency=1)
    assert states(run) == ["answered"] * 4 + ["repaired"]
    repair = next(request for request in double.requests if len(request["messages"]) == 4)
    assert repair["messages"][2]["content"] == "I would say it depends."
    assert "not one JSON object" in repair["messages"][3]["content"]
    double.faults = {"prose": 1.0}
    other = asked(model="oracle-2")
    assert (other.state, states(other)) == ("done", ["misfit"] * 4 + ["repaired"] * 4)
    assert not other.stored.predictions.exists(), "counted, not guessed"


@pytest.mark.parametrize(
    "reply", ['{"clear": 9, "natural": "yes"}', '{"clear": 3}', "[]", '{"clear": NaN}', "[" * 9999]
)
def test_replies_are_held_to_the_check_of_workers(reply: str, asked: Callable[..., Any], double: Double) -> None:
    double.reply = lambda _request: reply
    assert runs.counts(asked())["misfit"] == 4


@pytest.mark.parametrize("fault", ["length", "endless"])
def test_endless_text_is_cut_and_counted(fault: str, asked: Callable[..., Any], double: Double) -> None:
    double.faults = {fault: 1.0}
    run = asked(**PRICED)
    assert (run.state, runs.counts(run)["misfit"]) == ("done", 4)


def test_refusals_are_results_of_their_items(asked: Callable[..., Any], double: Double) -> None:
    double.script = ["", "refusal", "400"]
    run = asked(concurrency=1)
    assert (run.state, states(run)) == ("done", ["answered"] * 2 + ["refused"] * 2)


def test_a_redirect_is_not_followed(asked: Callable[..., Any], double: Double) -> None:
    double.script = ["redirect"]
    assert "HTTP 302" in asked(concurrency=1).trouble
    assert len(double.requests) == 1


def test_a_reply_without_usage_counts_at_its_reservation(asked: Callable[..., Any], double: Double) -> None:
    double.faults = {"no-usage": 1.0}
    run = asked(**PRICED)
    sizes = [len(prompts.body_of(run, prompts.shown(run, key, 0), 0)) for key in prompts.item_keys(run)]  # type: ignore[arg-type]
    assert run.spent == sum(calls.worst(run, size) for size in sizes)


def test_one_name_has_the_predictions_of_one_prompt(
    drafted: Callable[..., Any], asked: Callable[..., Any], double: Double
) -> None:
    early = drafted(prompt="Rate it, and be strict.")
    run = asked()
    for other in ({"prompt": "Rate it, and be kind."}, {"temperature": 0.5}, {"samples": 2}):
        with pytest.raises(Refused, match="oracle-1 has predictions for this batch already"):
            drafted(**other)
    with pytest.raises(Refused, match="another name"):
        runs.confirm(early)
    with pytest.raises(Refused, match="predictions made elsewhere need another name"):
        store_predictions(run.batch, "oracle-1", [])
    store_predictions(run.batch, "imported", [])
    with pytest.raises(Refused, match="imported has predictions"):
        drafted(name="imported")
    assert asked(name="kind", prompt="Rate it, and be kind.").state == "done"
    assert models_of(run.batch) == ["imported", "kind", "oracle-1"]


def test_deleting_the_predictions_deletes_the_run_and_all_is_asked_anew(
    asked: Callable[..., Any], double: Double
) -> None:
    run = asked()
    assert delete_predictions(run.batch, "oracle-1") == 4
    assert not ModelRun.objects.exists()
    assert asked(temperature=0.5).state == "done"
    assert len(double.requests) == 8


def test_a_run_whose_predictions_are_deleted_midway_stops(drafted: Callable[..., Any], double: Double) -> None:
    run = drafted(concurrency=1)
    runs.confirm(run, here=True)
    talk = conversation.Conversation(
        calls.take(run), progress=lambda done, _total: done and BatchModel.objects.all().delete()
    )
    with pytest.raises(calls.Stopped):
        talk.go()
    assert len(double.requests) < 4
    assert not ModelCall.objects.exists()
    assert not ModelPrediction.objects.exists()


def test_nothing_is_sent_about_a_batch_in_the_bin(drafted: Callable[..., Any], double: Double) -> None:
    from annotation.flow.batches import batch_launch

    run = drafted()
    runs.confirm(run)
    assert batch_launch.discard_draft(run.batch)
    runs.carry_on_due()
    assert not double.requests


def test_datasheet_and_card_say_which_model_was_asked_where_and_under_which_terms(
    rated: Any, asked: Callable[..., Any], double: Double
) -> None:
    from annotation.flow.batches import batch_launch
    from annotation.flow.reports.dataset_documents import card_of, datasheet_of

    batch_launch.launch(rated)
    run = asked(name="strict", terms="Research only", samples=2, **PRICED)
    store_predictions(rated, "elsewhere", [])
    dataset = rated.datasets.get()
    for text in (datasheet_of(dataset), card_of(dataset, files={})):
        [line] = [line for line in text.splitlines() if "`strict`" in line]
        for said in ("4 items", "`oracle-1`", double.url.split("/")[2], run.prompt_hash, "2 replies", "Research only"):
            assert said in line, said
        assert f"cost {run.spent:.4f} US dollars" in line
        assert "imported; how they were made is not recorded" in text


def test_costs_are_those_of_the_tokens_that_the_endpoint_counts(asked: Callable[..., Any]) -> None:
    run = asked(**PRICED)
    call = run.calls.earliest("pk")
    assert call.cost == (call.tokens_in * Decimal("2.5") + TOKENS_OUT * 10) / 10**6


def test_a_ceiling_of_requests_is_kept_and_can_be_raised(asked: Callable[..., Any], double: Double) -> None:
    run = asked(most_calls=3)
    assert (run.state, len(double.requests)) == ("paused", 3)
    assert "ceiling" in run.trouble
    assert asked(most_calls=4).state == "done"
    assert len(double.requests) == 4


def test_a_ceiling_of_dollars_reserves_the_worst_before_each_request(asked: Callable[..., Any], double: Double) -> None:
    double.faults = {"no-usage": 1.0}
    one = calls.worst(ModelRun(price_in=Decimal("2.5"), price_out=Decimal(10), most_tokens=1024), 3000)
    run = asked(**PRICED | {"most_cost": 2 * one})
    assert run.state == "paused"
    assert 0 < len(double.requests) < 4
    assert run.spent <= 2 * one


def test_a_run_is_paused_between_two_requests_and_resumed(
    drafted: Callable[..., Any], asked: Callable[..., Any], double: Double
) -> None:
    run = drafted(concurrency=1)
    runs.confirm(run, here=True)
    taken = calls.take(run)
    talk = conversation.Conversation(taken, progress=lambda done, total: runs.pause(run))
    with pytest.raises(calls.Stopped):
        talk.go()
    run.refresh_from_db()
    sent = len(double.requests)
    assert (run.state, run.calls.filter(state="open").count()) == ("paused", 0)
    assert sent < 4
    assert asked(concurrency=1).state == "done"
    assert len(double.requests) == 4


def test_a_job_takes_turns_with_other_work(drafted: Callable[..., Any], double: Double, monkeypatch: Any) -> None:
    monkeypatch.setattr(runs, "TURN", 0.0)
    run = drafted()
    runs.confirm(run)
    runs.carry_on_due()
    run.refresh_from_db()
    assert (run.state, run.calls_made) == ("running", 0)
    monkeypatch.setattr(runs, "TURN", 60.0)
    runs.carry_on_due()
    run.refresh_from_db()
    assert (run.state, run.calls_made) == ("done", 4)


def test_the_job_waits_as_long_as_the_endpoint_asks(drafted: Callable[..., Any], double: Double) -> None:
    from annotation.judges.chat_client import seconds_of

    run = drafted()
    runs.confirm(run)
    from datetime import timedelta

    from annotation.models import clock

    ModelRun.objects.update(not_before=clock.now() + timedelta(hours=1))
    runs.carry_on_due()
    assert not double.requests
    assert (seconds_of("17"), seconds_of("soon"), seconds_of("Thu, 01 Jan 1970 00:00:00 GMT")) == (17.0, None, 0.0)


class Killed(BaseException):
    """As if the process had ended here."""


@pytest.mark.parametrize("seed", first(2, range(6)))
def test_killed_at_any_call_each_item_is_stored_once_and_the_ceiling_kept(
    seed: int, drafted: Callable[..., Any], double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    double.faults = {"429": 0.1, "500": 0.1, "prose": 0.1, "no-usage": 0.2, "cut": 0.1}
    rng, kills, real = Random(seed), 0, {name: getattr(calls, name) for name in ("reserve", "settle")}
    run = drafted(samples=3, concurrency=3, **PRICED)

    def killing(name: str, dead: list[bool]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            dead[0] = dead[0] or rng.random() < 0.08
            if dead[0]:
                raise Killed
            return real[name](*args, **named)

        return call

    for _time in range(200):
        dead = [False]
        for name in real:
            monkeypatch.setattr(calls, name, killing(name, dead))
        runs.confirm(run, here=True)
        before = ModelCall.objects.filter(state="lost").count()
        try:
            runs.carry_on(run, progress=lambda _done, _total: None)
        except Killed:
            kills += 1
        assert ModelCall.objects.filter(state="lost").count() - before <= 3, "at most as many as were under way"
        run.refresh_from_db()
        if run.state == "done":
            break
    assert (run.state, kills > 0) == ("done", True)
    settled = run.calls.filter(state__in=["answered", "misfit"])
    answered = set(run.calls.filter(state="answered").values_list("item", "sample"))
    stored = run.stored.predictions.values_list("item", "run")
    assert {(item, number - 1) for item, number in stored} == answered, "an answer is stored with its call, or neither"
    assert settled.count() == 12 == settled.values("item", "sample").distinct().count()
    assert run.spent == run.calls.aggregate(cost=Sum("cost"))["cost"] <= run.most_cost
    assert run.calls_made == run.calls.count() >= len(double.requests)


@pytest.mark.parametrize(
    ("endpoint", "says"),
    [
        ("http://models.example.org/v1", "https"),
        ("http://127.0.0.1:9/v1", "https"),
        ("https://user@models.example.org/v1", "address"),
        ("https://models.example.org:25/v1", "port"),
        ("file:///etc/passwd", "address"),
    ],
)
def test_nothing_is_sent_to_other_addresses(
    endpoint: str, says: str, drafted: Callable[..., Any], settings: Any
) -> None:
    settings.MODEL_ENDPOINTS = []
    with pytest.raises(Refused, match=says):
        drafted(endpoint=endpoint)


def test_a_name_of_an_inside_address_is_refused_when_it_is_looked_up(
    asked: Callable[..., Any], double: Double, settings: Any
) -> None:
    settings.MODEL_ENDPOINTS = []
    run = asked(endpoint="https://localhost:8443/v1")
    assert (run.state, "inside this network" in run.trouble) == ("paused", True)


def test_an_owner_can_forbid_endpoints(drafted: Callable[..., Any], project: Any, double: Double) -> None:
    run = drafted()
    type(project).objects.update(ask_models=False)
    run.batch.project.refresh_from_db()
    with pytest.raises(Refused, match="do not allow"):
        runs.confirm(run)
    with pytest.raises(Refused, match="do not allow"):
        drafted()
    ModelRun.objects.update(state="running")
    runs.carry_on_due()
    assert not double.requests


def test_a_ceiling_is_required_and_needs_prices(drafted: Callable[..., Any]) -> None:
    with pytest.raises(Refused, match="ceiling"):
        drafted(most_calls=None)
    with pytest.raises(Refused, match="prices"):
        drafted(most_calls=None, most_cost=Decimal(1))


def test_the_log_has_model_host_prompt_and_cost(asked: Callable[..., Any], project: Any, double: Double) -> None:
    run = asked(**PRICED)
    from annotation.models import AuditEntry

    rows = {row.act: row.details for row in AuditEntry.objects.filter(project=project)}
    host = double.url.split("/")[2]
    assert rows["model asked"] == {"model": "oracle-1", "host": host, "prompt": run.version, "number": 4}
    assert Decimal(rows["model answered"]["cost"]) == run.spent
