"""What a datasheet and a card count and say: exact figures, texts of people kept harmless, the same bytes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data.dataset_card import card, hub_name, licence_id
from annotation.pure.data.datasheet import SORTS, AskedModel, Origin, Sheet, Split, Step, Table, Work, together
from annotation.pure.data.datasheet_text import datasheet
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.data.provenance import SOURCES_OWN, appended, flattened, joined, steps_of, without
from annotation.pure.people.consent_text import DEFAULT, ethics_of, filled
from annotation.pure.reports.agreement_cells import agreement_of
from annotation.pure.text.escaping import code, plain, yaml_text
from tests.shared_data import shared_data

WELLS, TOWER, HALL = (Paragraph(title, f"All about {title}.") for title in ("Wells", "Tower", "Hall"))


def example(name: str, *hops: Hop, **more: Any) -> Example:
    paragraphs = more.pop("paragraphs", (WELLS, TOWER, HALL))
    answers = more.pop("answers", (hops[-1].answer, "an alias") if hops else ())
    return Example(name, f"What is {name}?", paragraphs, answers=answers, hops=hops, **more)


ONE = Hop("Where is the well?", "Farrow", 0, 1)
TWO = Hop("Who built #1?", "Ana Brook", 1, 2)
OTHER = Hop("Who built it?", "ana brook", 1, None)


def test_everything_is_counted_once_by_its_definition() -> None:
    first = example("first", ONE, TWO, supports=(0, 1), answerable=True, group="g", shape="2hop")
    twin = replace(first, answerable=False, supports=(1,), hops=(replace(ONE, support=None), TWO))
    second = example("second", ONE, OTHER, supports=(0, 1), shape="2hop")
    split = Split.of("train", [first, twin, second])
    assert (split.records, dict(split.answerable)) == (3, {"yes": 1, "no": 1, "": 1})
    assert (dict(split.hops), dict(split.shapes)) == ({2: 2}, {"2hop": 2})
    assert {sort: split.number(sort) for sort in SORTS} == {
        "single-hop questions": 3,  # by id, and one by its words
        "final answers": 2,  # to the letter, without aliases
        "single-hop answers": 3,
        "supporting paragraphs": 2,
    }


def test_questions_of_one_group_are_told_apart_by_their_words() -> None:
    passage = [example(f"race-{k}", answers=("A",), group="passage") for k in range(3)]
    assert dict(Split.of("x", passage).hops) == {0: 3}


def test_what_splits_share_is_counted_once_over_all() -> None:
    train = Split.of("train", [example("a", ONE, TWO)])
    dev = Split.of("dev", [example("b", ONE, OTHER)])
    whole = together([train, dev])
    assert (whole.records, whole.hops[2]) == (2, 2)
    assert whole.number("single-hop questions") == 3
    assert whole.number("supporting paragraphs") == 2


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8), st.integers(0, 8))
def test_the_whole_never_counts_less_than_a_part_nor_more_than_all(pairs: list[tuple[int, int]], cut: int) -> None:
    examples = [
        example(f"e{k}", Hop(f"q{a}?", f"a{a}", 0, a), Hop(f"p{b} of #1?", f"b{b}", 1, 10 + b), supports=(0, 1))
        for k, (a, b) in enumerate(pairs)
    ]
    parts = [Split.of("one", examples[:cut]), Split.of("two", examples[cut:])]
    whole, at_once = together(parts), Split.of("all", examples)
    for sort in SORTS:
        assert whole.number(sort) == at_once.number(sort)
        assert max(p.number(sort) for p in parts) <= whole.number(sort) <= sum(p.number(sort) for p in parts)


def test_the_counts_of_real_records_agree_with_a_second_way_of_counting() -> None:
    records = [json.loads(line) for line in shared_data("musique_ans_dev_130.jsonl").read_text().splitlines()]
    parsed = FORMATS["musique"].read(shared_data("musique_ans_dev_130.jsonl"))
    split = Split.of("dev", (one.example for one in parsed if isinstance(one, Parsed) and one.example))
    steps = [step for record in records for step in record["question_decomposition"]]
    supports = {(p["title"], p["paragraph_text"]) for r in records for p in r["paragraphs"] if p["is_supporting"]}
    assert split.records == sum(split.hops.values()) == 130
    assert split.number("single-hop questions") == len({step["id"] for step in steps})
    assert split.number("final answers") == len({record["answer"] for record in records})
    assert split.number("single-hop answers") == len({step["answer"] for step in steps})
    assert split.number("supporting paragraphs") == len(supports)
    assert {f"{h}hop": n for h, n in split.hops.items()} == {
        f"{h}hop": sum(len(r["question_decomposition"]) == h for r in records) for h in split.hops
    }


def test_real_twins_are_one_question_and_two_records() -> None:
    parsed = FORMATS["musique"].read(shared_data("musique_full_3_pairs.jsonl"))
    split = Split.of("dev", (one.example for one in parsed if isinstance(one, Parsed) and one.example))
    assert (split.records, sum(split.hops.values()), dict(split.answerable)) == (6, 3, {"yes": 3, "no": 3})


def work(**more: Any) -> Work:
    known = {"made": True, "hits": 10, "excluded": 1, "answers": 25, "workers": 3, "per_hit": 2, "chosen": None}
    return Work(**{"batch": "writing", "task": "compose", "qualifications": (), "pay": (), **known, **more})


def step(**more: Any) -> Step:
    known = {"made": ("wide",), "how": "contexts", "sources": ("graphs",), "options": {"pool": "x"}, "seed": 4}
    return Step(**{**known, "version": "0.1.0", "report": {"read": 9, "kept": 7, "dropped": {"too | few": 2}}, **more})


def sheet(**more: Any) -> Sheet:
    splits = (Split.of("train", [example("a", ONE, TWO)]), Split.of("dev", [example("b", ONE, OTHER)]))
    origin = Origin("wells", "squad", 20, "CC BY 4.0", "https://wells.example/x_y", "ab" * 32)
    known = {"name": "ours", "licence": "CC BY 4.0", "splits": splits, "origins": (origin,), "steps": (step(),)}
    return Sheet(**{**known, "works": (work(),), "workers": 3, **more})


def test_models_beside_people_are_said_with_host_prompt_cost_and_terms() -> None:
    asked = AskedModel("strict", 40, model="oracle-1", host="models.example.org", prompt_hash="ab" * 32, samples=3)
    asked = replace(asked, first="2026-03-01", last="2026-03-02", temperature=0.5, cost="1.2500")
    asked = replace(asked, terms="Research *only*")
    known = sheet(works=(work(models=(AskedModel("elsewhere", 1), asked)),))
    for text in (datasheet(known), card(known, {})):
        assert "for 1 item, imported; how they were made is not recorded" in text
        assert (
            "for 40 items, by `oracle-1` at `models.example.org`; 2026-03-01 to 2026-03-02 (UTC); prompt with the "
            f"SHA-256 `{'ab' * 32}`; 3 replies for each item; temperature 0.5; cost 1.2500 US dollars by the prices "
            "given; terms for its output: Research \\*only\\*"
        ) in text
    assert "Predictions" not in datasheet(sheet())


def test_ethics_approval_and_consent_are_said_as_far_as_they_are_recorded() -> None:
    known = sheet(ethics="Board 7, no. 12", consent="In *writing*", asked=4, consented=3)
    for text in (datasheet(known), card(known, {})):
        assert "Ethics approval: Board 7, no. 12." in text
        assert "Consent: In \\*writing\\*; 3 of 4 people who answered here accepted the project's consent text." in text
    assert "Ethics approval: not recorded." in datasheet(sheet())
    assert "Consent: not recorded." in card(sheet(), {})
    assert "Ethics approval" not in card(sheet(works=(), workers=0), {})


def test_the_approval_is_read_in_the_consent_text() -> None:
    assert ethics_of(DEFAULT) == ""
    assert ethics_of(filled(DEFAULT, contact="Ada", ethics="none needed: no personal data")) == (
        "none needed: no personal data"
    )
    assert ethics_of("Another text.") == ""


def test_a_datasheet_says_what_is_known_and_that_the_rest_is_not_recorded() -> None:
    text = datasheet(sheet())
    assert "| Questions by number of hops | train | dev | all |" in text
    assert "| 2 hops | 1 | 1 | 2 |" in text
    assert "| single-hop questions | 2 | 2 | 3 |" in text
    assert "| `wells` | squad | 20 | CC BY 4.0 | https://wells.example/x\\_y |" in text
    assert "- HITs: 10, 1 of them excluded" in text
    assert "- Pay: none through this installation" in text
    assert "- Days: not recorded" in text
    assert "every worker of the project might take part" in text
    assert "| `wide` | too \\| few | 2 | 9 |" in text
    assert (
        '1. `wide`: `contexts`, from `graphs`; options `{"pool": "x"}`, seed 4, version 0.1.0. Read 9, kept 7.' in text
    )
    assert datasheet(sheet()) == text


def test_how_results_came_about_and_what_was_not_paid_stand_in_both_documents() -> None:
    decided = (("aggregated from the responses", 16), ("accepted by a requester", 3), ("in a requester's wording", 1))
    baseline = Table("Baselines", ("Answered by", "n"), (("People, closed-book", "9"),))
    found = work(
        made=True, answers=20, rejected=6, unpaid=2, decided=decided, preface="A step is missing.", per_hit=3,
        most_per_hit=3, responses=(1, 3), baselines=(baseline,),
    )  # fmt: skip
    counted = "16 aggregated from the responses, 3 accepted by a requester, 1 in a requester's wording"
    text, shown = datasheet(sheet(works=(found,))), card(sheet(works=(found,)), {})
    assert f"- Its answers: went into the dataset: {counted}\n" in text
    assert "; 6 of them rejected and not paid; 2 of them not paid or decided on yet\n" in text
    assert "- Asked for each HIT: 3 workers; obtained: 1 to 3\n" in text
    assert "- Preface before the task's own instructions: A step is missing.\n" in text
    assert f"Results of the batch `writing` in it: {counted}." in shown
    assert "The batch `writing` has 20 answers, 6 of them rejected and not paid, 2 of them" in shown
    for document in (text, shown):
        assert "**Baselines**" in document
        assert "| People, closed-book | 9 |" in document


def test_people_pay_and_agreement_stand_in_it_where_they_are_recorded() -> None:
    report = {"task": "x", "tables": [{"name": "agreement", "title": "Agreement", "columns": ["Measure", "Value"],
              "on": "sufficiency", "pairs": 12,
              "rows": [[{"text": "alpha of %(n)s", "values": {"n": 3}}, 0.5], ["raw", None]]}]}  # fmt: skip
    found = work(
        chosen=2,
        qualifications=(("trial", 8),),
        pay=(("A question of 2 hops", "25 US cents"),),
        first="2026-01-02",
        last="2026-01-09",
        agreement=agreement_of(report),
        instructions_versions=2,
    )
    text = datasheet(sheet(works=(found,)))
    assert "- Who might work: 2 workers by name" in text
    assert "before it: `trial` (8 workers)" in text
    assert "- Pay: A question of 2 hops: 25 US cents" in text
    assert "- Days: 2026-01-02 to 2026-01-09 (UTC)" in text
    assert "**Agreement on sufficiency (12 pairs of labels)**" in text
    assert "| alpha of 3 | 0.500 |\n| raw | – |" in text


def test_the_agreement_of_a_study_of_answers_is_picked_out_of_its_report() -> None:
    figure = {"value": 0.841, "low": 0.79, "high": 0.88, "n": 125}
    report = {"datasets": {"dev": {"answer": {"agreement": {"f1": figure, "em": figure | {"value": None}}},
              "support": {}}}}  # fmt: skip
    [found] = agreement_of(report)
    assert found.rows == (("answer, EM", "–", "125"), ("answer, F1", "84.1 % [79.0, 88.0]", "125"))
    assert agreement_of({}) == ()


def test_exclusions_name_aggregates_and_reviews() -> None:
    report = {"read": 9, "kept": 6, "dropped": {"excluded": 1, "discarded": 2}}
    report["figures"] = {"answers": {"standing": 8, "discarded": 1, "returned": 2}}
    text = datasheet(sheet(steps=(step(batch="writing", how="verdicts", report=report),)))
    for row in ("excluded | 1 | 9 HITs", "discarded | 2 | 9 HITs", "answers discarded in review | 1 | 11 answers"):
        assert f"| `wide` | {row} |" in text
    assert "the aggregated responses of the batch `writing`" in text


def test_a_dataset_that_was_imported_says_so() -> None:
    text = datasheet(sheet(steps=(), works=(), workers=0, gone=("lost",), licence=""))
    assert "It was imported as it is." in text
    assert "No batch is recorded" in text
    assert "made from `lost`, of which nothing is recorded any more" in text
    assert "Licence: not recorded." in text


def test_a_card_begins_with_front_matter_that_hubs_read() -> None:
    text = card(sheet(), {"train": "ours-train.jsonl", "dev": "ours-dev.jsonl"}, datasheet="SHEET.md")
    front = text.split("---\n")[1].splitlines()
    assert front == [
        'pretty_name: "ours"',
        "license: cc-by-4.0",
        "task_categories:",
        "- question-answering",
        "size_categories:",
        "- n<1K",
        "tags:",
        "- multihop",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: train",
        '    path: "ours-train.jsonl"',
        "  - split: validation",
        '    path: "ours-dev.jsonl"',
    ]
    assert "`SHEET.md`" in text
    assert card(sheet(), {"train": "ours-train.jsonl", "dev": "ours-dev.jsonl"}, datasheet="SHEET.md") == text


@pytest.mark.parametrize(
    ("licence", "says"),
    [
        ("CC BY-SA 4.0", "license: cc-by-sa-4.0"),
        ("cc-by-4.0; CC0", "license:\n- cc-by-4.0\n- cc0-1.0"),
        ("Apache-2.0", "license: apache-2.0"),
        ("", "license: unknown"),
        ('Ask "us": first', 'license: other\nlicense_name: "Ask \\"us\\": first"'),
    ],
)
def test_a_licence_is_said_in_the_words_of_hubs(licence: str, says: str) -> None:
    assert f"{says}\ntask_categories" in card(sheet(licence=licence), {})
    assert licence_id("something else") == ""


def test_names_of_splits_are_words() -> None:
    assert [hub_name(name) for name in ("dev", "train", "my-set", "")] == ["validation", "train", "my_set", "data"]


@given(st.text(max_size=40))
def test_a_text_in_markdown_shows_itself_and_nothing_else(text: str) -> None:
    for markdown in (plain(text), code(text)):
        table = f"| a | b |\n| --- | --- |\n| x{markdown}x | end |"
        tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(table)
        cells = [t for t in tokens if t.type == "inline"]
        assert len(cells) == 4
        kinds = {child.type for child in cells[2].children or ()}
        assert kinds <= {"text", "text_special", "code_inline"}
        shown = "".join(child.content for child in cells[2].children or ())
        assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", f"x{_tidied(text)}x")


def _tidied(text: str) -> str:
    return json.loads(yaml_text(text))


@given(st.text(max_size=40))
def test_a_text_in_yaml_is_one_line_and_comes_out_again(text: str) -> None:
    quoted = yaml_text(text)
    assert len(quoted.splitlines()) == 1
    assert json.loads(quoted).split() == _tidied(text).split()


STEP = {"batch": "b", "task": "compose", "hit": "h", "workers": ["w1", "w2"], "reviews": []}
VERDICT = {"by": 1, "bridges": [{"same": 2}], "compositions": ["What?", "Who?"], "candidates": [0, 1]}


def test_provenance_is_told_from_a_field_of_the_source() -> None:
    assert steps_of({"provenance": "an archive"}) == steps_of({"provenance": [{"batch": 1}]}) == steps_of({}) == []
    extra = appended({"provenance": "an archive", "x": 1}, STEP)
    assert steps_of(extra) == [STEP]
    assert extra["provenance"][0] == {SOURCES_OWN: "an archive"}
    assert without(extra) == {"provenance": "an archive", "x": 1}
    assert steps_of(appended(extra, STEP)) == [STEP, STEP]
    assert without(appended({"x": 1}, STEP)) == {"x": 1}
    assert appended({"x": 1}) == {"x": 1}


def test_working_fields_stay_out_of_records_of_composed_questions_only() -> None:
    extra = {"source": ["squad", "nq"], "known_bridges": ["same"], "mine": 1}
    assert without(appended(extra, STEP)) == extra
    assert without(appended(extra, STEP | {"verdict": VERDICT})) == {"mine": 1}


def test_a_composed_question_has_a_composer_a_reviewer_and_edits() -> None:
    review = {"worker": "w2", "reviewer": "r", "decision": "edited", "marks": {}, "edited_from": "Whoo?"}
    result = STEP | {"verdict": VERDICT, "reviews": [review, review | {"worker": "w1"}]}
    assert flattened([result, STEP], "Who?") == {
        "composer": "w2",
        "reviewer": "r",
        "edits": [{"reviewer": "r", "from": "Whoo?"}],
        "bridge_votes": [{"same": 2}],
    }
    assert flattened([STEP], "Who?") == {}


def test_of_several_compositions_the_composer_is_who_wrote_the_one_that_was_chosen() -> None:
    result = STEP | {"verdict": VERDICT | {"by": None}}
    assert flattened([result], "What?")["composer"] == "w1"
    assert flattened([result], "Something else?")["composer"] is None


def test_steps_that_several_records_share_are_told_once() -> None:
    assert joined([[STEP], [STEP, STEP | {"hit": "i"}], []]) == [STEP, STEP | {"hit": "i"}]


def test_candidates_that_a_step_put_together_itself_are_no_share_of_what_it_read() -> None:
    text = datasheet(sheet(steps=(step(report={"read": 9, "kept": 7, "dropped": {"it came before": 66}}),)))
    assert "| `wide` | it came before | 66 | candidates |" in text
