"""What other projects' clients and the official one's examples ask for, beyond what our own client needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from prolific_emulator import routing, submissions
from prolific_emulator.server import Emulator
from prolific_emulator.world import Problem

from tests.prolific_emulator import interface
from tests.prolific_emulator.test_server import Asks, asks, detail

__all__ = ["asks"]  # a fixture

AGE = {"filter_id": "age", "selected_range": {"lower": 18, "upper": 30}}
SEX = {"filter_id": "gender", "selected_values": ["0"]}
OLDER = {"filter_id": "age", "selected_range": {"lower": 50}}
CODES = [{"code": "DONE1", "code_type": "COMPLETED", "actions": [{"action": "AUTOMATICALLY_APPROVE"}]}]


def body(**more: Any) -> dict[str, Any]:
    """A study as small as the client's smallest, with the former code that it still sends."""
    own = {"name": "Wells", "description": "Read.", "external_study_url": "https://wells.example", "reward": 100}
    own |= {"total_available_places": 5, "prolific_id_option": "question", "estimated_completion_time": 1}
    return own | {"completion_code": "OLD1", "submissions_config": {"max_submissions_per_participant": 1}} | more


def test_the_former_code_is_the_only_one_where_no_other_is_given(asks: Asks) -> None:
    status, study = asks("POST", "/studies/", body())
    assert (status, [code["code"] for code in study["completion_codes"]]) == (201, ["OLD1"])
    status, study = asks("POST", "/studies/", body(completion_codes=CODES, peripheral_requirements=["audio"]))
    assert (status, study["completion_codes"], "completion_code" in study) == (201, CODES, False)


def test_filters_are_listed_and_counted_and_small_counts_are_hidden(asks: Asks) -> None:
    names = {row["filter_id"] for row in asks("GET", "/filters/")[1]["results"]}
    assert names >= {"age", "handedness", "participant_group_allowlist"}

    def count(*filters: Any) -> Any:
        return asks("POST", "/eligibility-count/", {"filters": list(filters)})[1]["count"]

    assert count() > count(AGE) > count(AGE, SEX) > 0
    assert count({"filter_id": "or", "selected_filters": [AGE, OLDER]}) > count(AGE)
    assert count(*[AGE] * 12) == 0
    assert "filters" in detail(asks("POST", "/eligibility-count/", {"filters": [{"filter_id": "age"}]}))
    assert "filters" in detail(asks("POST", "/eligibility-count/", {}))


def test_a_filter_set_is_kept_changed_locked_copied_and_used_by_a_study(asks: Asks) -> None:
    status, kept = asks("POST", "/filter-sets/", {"name": "Young", "filters": [AGE]})
    assert (status, kept["version"], kept["is_locked"]) == (201, 1, False)
    own = f"/filter-sets/{kept['id']}/"
    assert asks("PATCH", own, {"filters": [AGE, SEX]})[1]["version"] == 2
    assert asks("POST", own + "lock/")[1]["is_locked"]
    assert "locked" in detail(asks("PATCH", own, {"name": "Other"}))
    assert not asks("POST", own + "unlock/")[1]["is_locked"]
    copied = asks("POST", own + "clone/", {"new_name": "Copy"})[1]
    assert (copied["name"], copied["filters"]) == ("Copy", [AGE, SEX])
    study = asks("POST", "/studies/", body(filter_set_id=kept["id"]))[1]
    assert (study["filters"], study["filter_set_version"]) == ([AGE, SEX], 2)
    assert "either" in str(detail(asks("POST", "/studies/", body(filter_set_id=kept["id"], filters=[AGE]))))
    assert asks("DELETE", own)[0] == 204
    assert asks("GET", own)[0] == 404
    assert [row["name"] for row in asks("GET", "/filter-sets/")[1]["results"]] == ["Copy"]
    assert "filter_set_id" in detail(asks("POST", "/studies/", body(filter_set_id=kept["id"])))


def test_workspaces_and_projects_are_made_and_studies_belong_to_one(asks: Asks, emulator: Emulator) -> None:
    status, other = asks("POST", "/workspaces/", {"title": "Second", "description": "Empty"})
    assert status == 201
    assert asks("PATCH", f"/workspaces/{other['id']}/", other | {"title": "Third"})[1]["title"] == "Third"
    assert asks("GET", f"/workspaces/{other['id']}/balance/")[1]["available_balance"] == 0
    assert len(asks("GET", "/workspaces/")[1]["results"]) == 2
    status, project = asks("POST", f"/workspaces/{emulator.world.workspace}/projects/", {"title": "Hops"})
    assert (status, project["workspace"]) == (201, emulator.world.workspace)
    own = f"/projects/{project['id']}/"
    assert asks("PATCH", own, {"description": "Multihop"})[1]["description"] == "Multihop"
    assert asks("GET", own)[1]["title"] == "Hops"
    assert len(asks("GET", f"/workspaces/{emulator.world.workspace}/projects/")[1]["results"]) == 2
    study = asks("POST", "/studies/", body(project=project["id"]))[1]
    first = asks("POST", "/studies/", body())[1]
    assert (study["project"], first["project"]) == (project["id"], emulator.world.project)
    assert [row["id"] for row in asks("GET", own + "studies/")[1]["results"]] == [study["id"]]
    assert "project" in detail(asks("POST", "/studies/", body(project="0" * 24)))
    assert [asks("GET", path)[0] for path in ("/projects/0/", "/workspaces/0/")] == [404, 404]


def test_a_copied_study_keeps_out_who_was_in_the_first(asks: Asks, emulator: Emulator) -> None:
    world = emulator.world
    study = asks("POST", "/studies/", body())[1]
    copied = asks("POST", f"/studies/{study['id']}/clone/")[1]
    again = asks("POST", f"/studies/{study['id']}/clone/", {"block_previous_participants": False})[1]
    for one in (study, copied, again):
        assert asks("POST", f"/studies/{one['id']}/transition/", {"action": "PUBLISH"})[1]["status"] == "ACTIVE"
    with world.lock:
        submissions.reserve(world, world.studies[study["id"]], "c" * 24)
        with pytest.raises(Problem, match="not open"):
            submissions.reserve(world, world.studies[copied["id"]], "c" * 24)
        submissions.reserve(world, world.studies[copied["id"]], "d" * 24)
        submissions.reserve(world, world.studies[again["id"]], "c" * 24)


def test_one_of_two_groups_is_enough_where_the_filters_say_so(asks: Asks, emulator: Emulator) -> None:
    world = emulator.world
    groups = [asks("POST", "/participant-groups/", {"name": name, "participant_ids": [who * 24]})[1]["id"]
              for name, who in (("A", "a"), ("B", "b"))]  # fmt: skip
    parts = [{"filter_id": "participant_group_allowlist", "selected_values": [name]} for name in groups]
    either = [{"filter_id": "or", "selected_filters": parts}, AGE]
    study = asks("POST", "/studies/", body(filters=either, submissions_config={"max_submissions_per_participant": -1}))
    own = world.studies[study[1]["id"]]
    asks("POST", f"/studies/{own['id']}/transition/", {"action": "PUBLISH"})
    with world.lock:
        for who in "aab":  # as often as they like
            submissions.reserve(world, own, who * 24)
        with pytest.raises(Problem, match="not open"):
            submissions.reserve(world, own, "c" * 24)


def test_the_progress_of_each_task_is_told(asks: Asks, emulator: Emulator) -> None:
    parts = [
        {"external_url": f"https://wells.example/{name}", "total_allocation": n} for name, n in (("x", 3), ("y", 2))
    ]
    study = asks("POST", "/studies/", body(external_study_url="", access_details=parts))[1]
    asks("POST", f"/studies/{study['id']}/transition/", {"action": "PUBLISH"})
    with emulator.world.lock:
        submissions.reserve(emulator.world, emulator.world.studies[study["id"]], "c" * 24)
    rows = asks("GET", f"/studies/{study['id']}/access-details-progress/")[1]["progress"]
    assert [row["allocated"] for row in rows] == [1, 0]
    plain = asks("POST", "/studies/", body())[1]
    assert asks("GET", f"/studies/{plain['id']}/access-details-progress/")[0] == 404


def test_the_last_slash_may_be_left_out_when_reading(asks: Asks) -> None:
    assert asks("GET", "/users/me")[0] == 200
    assert asks("GET", "/hooks/subscriptions?is_enabled=true")[0] == 200
    assert asks("POST", "/workspaces", {"title": "T"})[0] == 404


def test_a_draft_is_tested_by_test_participants_alone_at_no_cost(asks: Asks, emulator: Emulator) -> None:
    world, draft = emulator.world, asks("POST", "/studies/", body())[1]["id"]
    assert "test participant" in detail(asks("POST", f"/studies/{draft}/test-study"))
    assert "email" in detail(asks("POST", "/researchers/participants/"))
    status, made = asks("POST", "/researchers/participants/", {"email": "tester@example.org"})
    assert status == 201
    assert "email" in detail(asks("POST", "/researchers/participants/", {"email": "tester@example.org"}))
    status, found = asks("POST", f"/studies/{draft}/test-study")
    assert (status, world.studies[draft]["status"], world.spent()) == (200, "UNPUBLISHED", 0)
    assert found["study_url"].endswith(f"/#study-{found['study_id']}")
    with world.lock:
        submissions.reserve(world, world.studies[found["study_id"]], made["participant_id"])
        with pytest.raises(Problem, match="not open"):
            submissions.reserve(world, world.studies[found["study_id"]], "c" * 24)
    assert "draft" in detail(asks("POST", f"/studies/{found['study_id']}/test-study"))


def test_colleagues_are_invited_to_a_workspace(asks: Asks, emulator: Emulator) -> None:
    invite = {"association": emulator.world.workspace, "emails": ["kim@example.org"], "role": "WORKSPACE_ADMIN"}
    status, made = asks("POST", "/invitations/", invite)
    assert (status, made["invitations"][0]["invitee"]["email"]) == (200, "kim@example.org")
    assert made["invitations"][0]["status"] == "INVITED"
    assert "association" in detail(asks("POST", "/invitations/", invite | {"association": "0" * 24}))
    assert "role" in detail(asks("POST", "/invitations/", invite | {"role": "KING"}))
    assert "email" in detail(asks("POST", "/invitations/", invite | {"emails": ["nobody"]}))


def test_participants_are_screened_out_together_with_a_bonus_and_their_places_are_given_again(
    asks: Asks, emulator: Emulator
) -> None:
    world, study = emulator.world, asks("POST", "/studies/", body())[1]["id"]
    asks("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"})
    with world.lock:
        rows = [submissions.reserve(world, world.studies[study], letter * 24) for letter in "cd"]
        for one in rows:
            submissions.start(world, one)
    before, own = world.spent(), f"/studies/{study}/screen-out-submissions/"
    ask = {"submission_ids": [one.id for one in rows], "bonus_per_submission": 0.5}
    assert "bonus_per_submission" in detail(asks("POST", own, ask | {"bonus_per_submission": 5}))
    status, made = asks("POST", own, ask | {"increase_places": True})
    assert (status, made["payment_per_participant"]) == (200, {"amount": 0.5, "currency": "GBP"})
    assert [(one.status, one.bonuses) for one in rows] == [("SCREENED OUT", [50])] * 2
    assert asks("GET", f"/studies/{study}/")[1]["total_available_places"] == 7
    assert world.spent() == before + round((2 * 100 + 2 * 50) * 1.428)
    assert "cannot be screened out" in str(detail(asks("POST", own, ask)))


def test_lists_of_studies_tell_type_cost_and_submissions_and_an_empty_retired_field_is_taken(asks: Asks) -> None:
    study = asks("POST", "/studies/", body(eligibility_requirements=[], study_type="SINGLE"))[1]
    assert "eligibility_requirements" not in study
    row = asks("GET", "/studies/")[1]["results"][0]
    assert (row["study_type"], row["number_of_submissions"], row["total_cost"]) == ("SINGLE", 0, 714)
    assert "eligibility_requirements" in detail(asks("POST", "/studies/", body(eligibility_requirements=[{"id": "a"}])))


@pytest.mark.skipif(not interface.is_here(), reason="the interface descriptions are not here")
def test_the_guide_names_every_described_operation_that_is_not_served() -> None:
    served = {(verb, interface.unnamed(template)) for verb, template, _pattern, _act in routing.OPERATIONS}
    guide = (Path(__file__).resolve().parents[2] / "docs" / "prolific.md").read_text()
    named = set(re.findall(r"`(GET|POST|PATCH|DELETE) (/[^`]+)`", guide))
    lacking = {(verb, path.removeprefix("/api/v1")) for verb, path in interface.operations().keys() - served}
    instead = {("DELETE", "/studies/{}/")}
    assert {(verb, interface.unnamed(path)) for verb, path in named} - instead == lacking
