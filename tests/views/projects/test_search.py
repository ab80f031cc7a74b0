"""Search over everything of a project: each kind of thing, only one's own, wildcards as they stand, quickly."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.people import qualification_rounds, qualification_types
from annotation.flow.projects import project_search
from annotation.models import Batch, Item, Member, Project, User
from tests.batches import create_round
from tests.flow import acting
from tests.mturk_api import external_hits
from tests.views.console import take

pytestmark = pytest.mark.postgresql(reason="words are compared without their case by the database")


def found(client: Any, text: str, *, htmx: bool = False) -> str:
    headers = {"HX-Request": "true"} if htmx else {}
    response = client.get(reverse("search", args=["wells"]), {"q": text}, headers=headers)
    assert response.status_code == 200
    html = str(response.content.decode())
    return html[html.index('<div class="found"') :].partition('<dialog class="dialog search-box"')[0]


@pytest.fixture
def furnished(project: Any, alice: Any, bob: Any, carol: Any, batch: Any, dataset: Any) -> dict[str, Any]:
    """One thing of each kind: {what is typed: the address that it leads to}."""
    row = take(bob, batch)
    kind = qualification_types.create_type(project, "Careful readers", description="")
    grants = qualification_rounds.grant_type(project, "Passed")
    terms = {"task": "answer", "datasets": [dataset], "per_worker": 1, "tries": 1, "instructions": "", "grants": grants}
    create_round(project, "round-of-spring", **terms, disjoint=False, fresh_only=False)
    other = Project.objects.create(slug="mills", title="Mills of the north")
    Member.objects.create(project=other, user=alice)
    hit = reverse("hit", args=["wells", "wells-1", row.hit.public_id])
    person = reverse("annotator", args=["wells", bob.pk])
    return {
        "WELLS-1": reverse("batch", args=["wells", "wells-1"]),
        "of-spring": reverse("batch", args=["wells", "round-of-spring"]),
        "well": reverse("dataset", args=["wells", "wells"]),
        "tower stands beside the well": reverse("item", args=["wells", "wells", 0]),
        "well-2": reverse("item", args=["wells", "wells", 2]),
        row.hit.public_id: hit,
        row.public_id: hit,
        bob.public_id: person,
        project.pseudonym(bob.pk)[:6]: person,
        project.pseudonym(bob.pk).upper(): person,
        "Bob": person,
        "careful": reverse("qualification", args=["wells", kind.public_id]),
        "mills": reverse("project", args=["mills"]),
        "budget": reverse("money", args=["wells"]),
        "invite": reverse("people", args=["wells"]),
    }


def test_it_finds_everything_by_what_it_is_called(client: Any, alice: Any, furnished: dict[str, Any]) -> None:
    client.force_login(alice)
    for text, address in furnished.items():
        assert f'href="{address}"' in found(client, text), text
        assert client.get(address).status_code in {200, 302}


def test_a_reviewer_finds_nobodys_name_and_no_page_that_is_not_theirs(
    client: Any, project: Any, bob: Any, furnished: dict[str, Any]
) -> None:
    reader = User.objects.create_user("rita")
    Member.objects.create(project=project, user=reader, role=Member.Role.REVIEWER)
    client.force_login(reader)
    person = reverse("annotator", args=["wells", bob.pk])
    assert person not in found(client, "Bob")
    by_pseudonym = found(client, project.pseudonym(bob.pk))
    assert person in by_pseudonym
    assert "Bob" not in by_pseudonym
    for text in ("budget", "careful", "mills"):
        assert furnished[text] not in found(client, text)


def test_it_says_when_there_may_be_more_of_a_kind(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    for n in range(project_search.MOST):
        Batch.objects.create(project=project, slug=f"spire-{n}", title=f"Spire {n}", task="answer")
    assert ["Type more words" in found(client, text) for text in ("spire", "spire 0")] == [True, False]


def test_what_is_of_another_project_is_not_there(client: Any, alice: Any, bob: Any, batch: Any, tmp_path: Any) -> None:
    other = Project.objects.create(slug="mills", title="Mills")
    made = acting.launched(other, "grinding", acting.dataset_of(other, tmp_path, name="corn", size=2))
    stranger = acting.newcomer(other, "mona")
    client.force_login(alice)
    hit = made.hits.first()
    for text in ("grinding", "corn", "mona", "mills", hit.public_id, stranger.public_id, other.pseudonym(stranger.pk)):
        html = found(client, text)
        assert "No results for" in html, text
    assert found(client, "well-0").count("<li>") == 1


def test_percent_and_underscore_stand_for_themselves(client: Any, alice: Any, dataset: Any) -> None:
    Item.objects.filter(position=1).update(question="Is 100 %_ of it red?")
    client.force_login(alice)
    assert found(client, "%_ of").count("<li>") == 1
    assert "No results for" in found(client, "1%0")
    assert "No results for" in found(client, "t_wer")
    Item.objects.filter(position=2).update(question="Why? " + "so " * 300 + "end of a long one")
    assert found(client, "END OF a long").count("<li>") == 1


def test_the_fragment_is_the_list_alone_and_nothing_typed_shows_the_pages(client: Any, alice: Any) -> None:
    client.force_login(alice)
    html = found(client, "", htmx=True)
    assert html.startswith('<div class="found"')
    assert reverse("money", args=["wells"]) in html
    assert "<html" not in html


def test_what_another_program_listed_does_not_fill_the_list(client: Any, alice: Any, project: Any) -> None:
    kind = external_hits.hit_type(project, title="Look at a picture")
    external_hits.hit_of(kind, external_hits.FORM)
    assert not project_search.search(project, "picture", user=alice, may={"see"})


def test_it_asks_a_bounded_number_of_questions(client: Any, alice: Any, furnished: dict[str, Any]) -> None:
    client.force_login(alice)
    with CaptureQueriesContext(connection) as made:
        found(client, "tower", htmx=True)
    assert len(made) < 20


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        ("österreichs", "Wie hoch liegt ÖSTERREICHS Norden?"),
        ("ÖSTERREICHS", "Wie hoch liegt Österreichs Norden?"),
        ("москва", "Где стоит МосКВА?"),
        ("ΟΔΌΣ", "Πού είναι η οδός;"),
        ("100 % ö_", "Sind 100 % Ö_ genug?"),
    ],
)
def test_case_is_ignored_in_every_script(typed: str, question: str, project: Any, alice: Any, dataset: Any) -> None:
    item = dataset.items.first()
    Item.every.filter(pk=item.pk).update(question=question)
    result = project_search.search(project, typed, user=alice, may={"see"})
    assert [row.place for row in result["item"]] == [("wells", item.position)]
    assert list(Item.objects.filter(dataset=dataset).holding(typed)) == [item]
    assert not Item.objects.filter(dataset=dataset).holding(f"{typed}x").exists()
