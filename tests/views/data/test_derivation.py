"""Deriving on pages: the ways, the forms of their options, the job with its report, the family of a dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import escape

from annotation import jobs
from annotation.derivations import DERIVATIONS
from annotation.flow.data import dataset_removal, derivation
from annotation.flow.data.lineage import Family
from annotation.forms.derivations import DeriveForm
from annotation.models import Dataset, Job
from tests.one_line import one_line
from tests.replaying import replayed

NAMES = {"singlehop": "single", "composable-pairs": "pairs", "graphs": "graphs", "contexts": "wide"}
EASY = {"option_fewest_words": "1", "option_answer_in_paragraph": "on"}
OPTIONS: dict[str, dict[str, str]] = {"singlehop": EASY, "contexts": {"option_paragraphs": "3"}}


@pytest.fixture(autouse=True)
def uploads(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def at(name: str, how: str = "", **more: str) -> str:
    return reverse("dataset-derive", args=["wells", name], query={"how": how, **more} if how else more)


def posted(source_name: str, how: str, /, **more: Any) -> dict[str, Any]:
    """The form of a way as the page proposes it, with `more` in place of its parts."""
    source = Dataset.objects.get(slug=source_name)
    form = DeriveForm(source, how, Family(source.project))
    proposed = {field.name: field.value() for field in form}
    return {key: value for key, value in (proposed | more).items() if value not in (None, False, "")}


def derive(client: Any, source: str, how: str, /, **more: Any) -> Job:
    """The job of the form, carried out."""
    response = client.post(at(source, how), posted(source, how, **more))
    assert response.status_code == 303, response.content.decode()
    jobs.run_due_work()
    return Job.objects.latest("pk")


@pytest.fixture
def asked(client: Any, alice: Any, dataset: Any) -> Any:
    """Alice, who looks at her dataset of four two-hop questions."""
    client.force_login(alice)
    return client


@pytest.fixture
def pipeline(asked: Any, dataset: Dataset) -> Any:
    """Datasets `single`, `pairs`, `graphs` and `wide`, made by the pages."""

    def make() -> Dataset:
        for source, (how, name) in zip(["wells", *NAMES.values()], NAMES.items(), strict=False):
            derive(asked, source, how, name=name, **OPTIONS.get(how, {}))
        return Dataset.objects.get(slug=name)

    replayed("pipeline", make, dataset)
    return asked


def test_the_whole_pipeline_runs_on_pages(pipeline: Any) -> None:
    assert list(Dataset.objects.order_by("pk").values_list("slug", "size")) == [
        ("wells", 4), ("single", 8), ("pairs", 4), ("graphs", 4), ("wide", 4),
    ]  # fmt: skip
    assert derive(pipeline, "wide", "unanswerable-twins", name="full").result["kept"] == 4
    derive(pipeline, "full", "splits", name="full", option_train="0.5", option_dev="0.25", option_test="0.25")
    sizes = dict(Dataset.objects.filter(slug__startswith="full-").values_list("slug", "size"))
    assert sizes == {"full-train": 4, "full-dev": 2, "full-test": 2}


def test_every_way_is_offered_with_a_sentence_or_with_why_not(asked: Any) -> None:
    html = asked.get(at("wells")).content.decode()
    features = Dataset.objects.get().features
    for way in DERIVATIONS.values():
        assert escape(way.source_problem(features) or way.does) in html, way.how
    assert 'href="?how=singlehop"' in html
    assert 'href="?how=composable-pairs"' not in html
    assert one_line("<b>2 Pairs:</b> Needs single-hop questions with one paragraph each.") in one_line(html)
    assert "recommended next" in html


def test_a_way_that_does_not_fit_is_not_recommended(asked: Any) -> None:
    dataset = Dataset.objects.get()
    dataset.features = dataset.features | {"hops": {}, "paragraphs": {"3": dataset.size}}
    dataset.save()
    assert DERIVATIONS["singlehop"].source_problem(dataset.features)
    assert "recommended next" not in asked.get(at("wells")).content.decode()


def test_it_shows_where_the_dataset_stands_and_what_is_done(pipeline: Any) -> None:
    html = one_line(pipeline.get(at("pairs")).content.decode())
    single, graphs = (reverse("dataset", args=["wells", name]) for name in ("single", "graphs"))
    origin = html[html.index('aria-labelledby="lineage"') :].partition("</section>")[0]
    assert f'href="{single}"' in origin
    assert f'href="{graphs}"' in origin
    now, later = html[html.index('<ol class="stages">') :].partition('id="studies"')[0].split("</ol>")
    graphs_stage = now.split("<h3>")[1]
    assert "recommended next" not in html  # it was done
    assert f'<a href="{graphs}">graphs</a>' in graphs_stage
    assert "this dataset" in later


def test_studies_are_folded_behind_their_names(asked: Any) -> None:
    html = asked.get(at("wells")).content.decode()
    studies = html[html.index('id="studies"') :].split("<summary>")[1:]
    named = {study.split("<span")[0].strip(): study for study in studies}
    assert [name.split(",")[0].split(":")[0] for name in named] == ["DiRe", "NMF", "Ablations", "Other studies"]
    counts = [study.count("data-entry") for study in studies]
    assert sum(counts) == sum(each.group.step == 0 for each in DERIVATIONS.values())
    assert "<details open" not in html
    refused = named["Ablations: questions without one kind of features"].partition("Ablation 14")[2]
    assert "Needs answer options." in refused


def test_a_way_that_does_not_fit_is_refused_before_it_begins(asked: Any) -> None:
    response = asked.post(at("wells", "composable-pairs"), posted("wells", "composable-pairs"))
    assert response.status_code == 422
    assert "Needs single-hop questions with one paragraph each." in response.content.decode()
    assert not Job.objects.exists()


def test_every_option_has_a_label_and_one_control(asked: Any, project: Any) -> None:
    source = Dataset.objects.get()
    for how, way in DERIVATIONS.items():
        form = DeriveForm(source, how, Family(project))
        assert all(field.label for field in form)
        grouped = [field.name for group in form.groups for field in group["fields"]]
        assert grouped == list(dict.fromkeys(grouped))
        assert set(grouped) == set(form.fields) - {"name", "seed"}, way


def test_the_proposed_options_are_those_of_the_command(asked: Any, project: Any) -> None:
    for how, way in DERIVATIONS.items():
        if how == "disconnection-filter":
            continue  # needs its file
        source = Dataset.objects.get(slug="wells")
        form = DeriveForm(source, how, Family(project), posted("wells", how))
        form.is_valid()
        assert way.Options(**form.options()) == way.Options(), how


@pytest.mark.parametrize(
    ("how", "wrong", "field", "message"),
    [
        ("contexts", {"option_paragraphs": "0"}, "option_paragraphs", "greater than or equal to 1"),
        ("contexts", {"option_longest": "3", "option_shortest": "5"}, "option_longest", "3 or fewer"),
        ("contexts", {"option_pool": ["elsewhere"]}, "option_pool", "elsewhere"),
        ("splits", {"option_train": "0.9"}, "option_train", "sum to 1"),
        ("splits", {"option_train": "nan"}, "option_train", "Enter a number"),
        ("contexts", {"name": "wells"}, "name", "wells is taken"),
        ("contexts", {"name": "two words"}, "name", "valid"),
        ("contexts", {"seed": "-1"}, "seed", "greater than or equal to 0"),
        ("disconnection-inputs", {"option_mask": "--"}, "option_mask", "no letter"),
        ("disconnection-filter", {}, "option_predictions", "required"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_the_rest_is_kept(
    asked: Any, how: str, wrong: dict[str, Any], field: str, message: str
) -> None:
    response = asked.post(at("wells", how), posted("wells", how, **{"seed": "77"} | wrong))
    form, html = response.context["form"], response.content.decode()
    assert response.status_code == 422
    assert list(form.errors) == [field]
    assert message in str(form.errors[field])
    assert form.fields[field].widget.attrs["autofocus"] is True
    assert html.count("autofocus") == 1 or field == "option_pool"
    if "seed" not in wrong:
        assert 'value="77"' in html
    assert not Job.objects.exists()


def test_a_mix_of_shapes_is_six_numbers(pipeline: Any) -> None:
    zero = dict.fromkeys((f"option_mix_{shape}" for shape in ("3hop1", "3hop2", "4hop1", "4hop2", "4hop3")), "0")
    job = derive(pipeline, "pairs", "graphs", name="mixed", option_mix_2hop="2.5", **zero)
    assert job.arguments["options"]["mix"].startswith("2hop=2.5,3hop1=0")
    refused = pipeline.post(at("pairs", "graphs"), posted("pairs", "graphs", name="none", option_mix_2hop="0", **zero))
    assert refused.status_code == 422
    assert "no shape at all" in refused.content.decode()


def test_a_limit_that_is_left_empty_is_the_papers(pipeline: Any) -> None:
    assert Job.objects.get(title__startswith="Graphs").arguments["options"]["hop_tokens"] == -1


def test_names_of_several_datasets_are_told_and_checked_before_it_begins(pipeline: Any) -> None:
    html = pipeline.get(at("wide", "splits")).content.decode()
    assert "wide-train, wide-dev, wide-test" in html
    derive(pipeline, "wide", "splits", name="parts", option_train="0.5", option_dev="0.5", option_test="0")
    again = pipeline.post(at("wide", "splits"), posted("wide", "splits", name="parts"))
    assert "parts-train, parts-dev, parts-test are taken" in again.content.decode()


def test_the_pool_is_proposed_from_the_family(pipeline: Any) -> None:
    assert Job.objects.get(title__startswith="Contexts").arguments["options"]["pool"] == "single"
    assert Dataset.objects.get(slug="wide").lineage["options"]["paragraphs"] == 3


def test_the_report_shows_what_was_dropped_and_the_figures(pipeline: Any) -> None:
    job = Job.objects.get(title__startswith="Graphs")
    html = pipeline.get(reverse("job", args=["wells", job.public_id])).content.decode()
    assert "The dataset is ready" in html
    assert reverse("dataset", args=["wells", "graphs"]) in html
    assert "Candidates" in html
    assert "2 hops that meet in a third" in html


def test_a_refusal_shows_on_the_jobs_page_and_leads_back_to_what_was_chosen(asked: Any) -> None:
    job = derive(asked, "wells", "singlehop", name="none", option_fewest_words="250", seed="5")
    assert job.state == "failed"
    html = asked.get(reverse("job", args=["wells", job.public_id])).content.decode()
    assert "the result is empty" in html
    back = asked.get(at("wells", "singlehop", again=job.public_id)).context["form"]
    assert (back["option_fewest_words"].value(), back["seed"].value(), back["name"].value()) == (250, 5, "none")
    assert not Dataset.objects.filter(slug="none").exists()


def test_what_was_chosen_for_another_dataset_is_not_taken_over(pipeline: Any) -> None:
    job = Job.objects.get(title__startswith="Graphs")
    assert pipeline.get(at("single", "graphs", again=job.public_id)).context["form"]["name"].value() == "single-graphs"


def test_a_job_that_runs_twice_makes_nothing_new(asked: Any) -> None:
    job = derive(asked, "wells", "singlehop", name="single", option_fewest_words="1")
    before = list(Dataset.objects.values_list("pk", "sha256"))
    Job.objects.update(state="waiting")
    jobs.run_due_work()
    job.refresh_from_db()
    assert (job.state, job.result["already_there"]) == ("done", True)
    assert list(Dataset.objects.values_list("pk", "sha256")) == before


def test_the_same_form_posted_twice_is_one_job(asked: Any) -> None:
    form = posted("wells", "singlehop", option_fewest_words="1")
    addresses = {asked.post(at("wells", "singlehop"), form).url for _ in range(2)}
    assert len(addresses) == Job.objects.count() == 1


def predictions(name: str, answer: str = "nothing of it") -> bytes:
    items = Dataset.objects.get(slug=name).items.all()
    rows = [{"id": item.source_id, "seed": seed, "predicted_answer": answer} for item in items for seed in (1, 2)]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_the_disconnection_filter_takes_an_upload_which_goes(pipeline: Any, uploads: Path) -> None:
    derive(pipeline, "pairs", "disconnection-inputs", name="inputs")
    html = pipeline.get(reverse("dataset", args=["wells", "inputs"])).content.decode()
    assert reverse("dataset-export", args=["wells", "inputs", "disconnection"]) in html
    assert f"{at('pairs')}?how=disconnection-filter&amp;inputs=inputs" in html
    page = pipeline.get(at("pairs", "disconnection-filter", inputs="inputs"))
    assert page.context["form"]["option_inputs"].value() == "inputs"
    file = SimpleUploadedFile("model-1.jsonl", predictions("inputs"))
    job = derive(pipeline, "pairs", "disconnection-filter", name="connected", option_predictions=file)
    assert (job.state, job.result["kept"]) == ("done", 4)
    assert list(uploads.iterdir()) == []
    made = Dataset.objects.get(slug="connected")
    assert made.lineage["options"]["predictions"].startswith("sha256:")
    assert str(uploads) not in json.dumps([made.lineage, made.report, job.result])
    report = pipeline.get(reverse("job", args=["wells", job.public_id])).content.decode()
    assert "74.5" in report
    assert "26.5" in report
    assert "model-1.jsonl" in pipeline.get(reverse("dataset", args=["wells", "connected"])).content.decode()


def test_predictions_that_are_wrong_are_refused_with_the_line_and_go(pipeline: Any, uploads: Path) -> None:
    file = SimpleUploadedFile("p.jsonl", b'{"id": "x"}\n')
    job = derive(pipeline, "pairs", "disconnection-filter", name="connected", option_predictions=file)
    assert job.state == "failed"
    assert "line 1 of the predictions" in job.error
    assert list(uploads.iterdir()) == []
    html = pipeline.get(reverse("job", args=["wells", job.public_id])).content.decode()
    assert "Try again" not in html
    assert "Change the settings" in html


def test_a_typed_path_is_no_upload(asked: Any) -> None:
    form = posted("wells", "singlehop") | {"option_predictions": "/etc/hostname"}
    asked.post(at("wells", "singlehop"), form)
    job = Job.objects.get()
    assert "predictions" not in job.arguments["options"]
    assert job.arguments["uploads"] == {}


def test_an_upload_beyond_the_limit_is_refused(asked: Any, settings: Any, uploads: Path) -> None:
    settings.UPLOAD_LIMIT = 900
    file = SimpleUploadedFile("p.jsonl", b"x" * 2000)
    response = asked.post(at("wells", "singlehop"), posted("wells", "singlehop") | {"option_predictions": file})
    assert response.status_code == 422
    assert "The file is larger than" in response.content.decode()
    assert not uploads.exists()


def test_a_dataset_says_how_it_came_about_and_what_was_made_of_it(pipeline: Any) -> None:
    html = pipeline.get(reverse("dataset", args=["wells", "pairs"])).content.decode()
    family = html[html.index('id="lineage"') : html.index("</section>", html.index('id="lineage"'))]
    places = [family.index(f">{name}<") for name in ("wells", "single", "pairs", "graphs", "wide")]
    assert places == sorted(places)
    assert "seed 1" in family
    assert "8 read, 4 kept" in family
    listed = pipeline.get(reverse("datasets", args=["wells"])).content.decode()
    assert "from single · Composable pairs" in listed


def test_a_source_that_is_gone_is_still_named(pipeline: Any) -> None:
    dataset_removal.finish(Dataset.objects.get(slug="single"))
    html = pipeline.get(reverse("dataset", args=["wells", "pairs"])).content.decode()
    assert "no longer exists" in html


def test_a_dataset_without_relatives_has_no_family(asked: Any) -> None:
    assert 'id="lineage"' not in asked.get(reverse("dataset", args=["wells", "wells"])).content.decode()


def test_a_dataset_out_of_a_batch_leads_to_the_batch(asked: Any, batch: Any) -> None:
    lineage = {"source": ["wells"], "how": "verdicts", "batch": batch.slug, "version": "1"}
    Dataset.objects.create(project=batch.project, slug="said", format="jsonl", state="ready", lineage=lineage)
    html = asked.get(reverse("dataset", args=["wells", "said"])).content.decode()
    assert "Created from the results of a batch" in html
    assert reverse("batch", args=["wells", batch.slug]) in html


def test_questions_that_are_not_composed_yet_can_be_opened(pipeline: Any) -> None:
    html = pipeline.get(reverse("dataset", args=["wells", "graphs"])).content.decode()
    assert "Which tower stands beside #1?" in html


@pytest.mark.parametrize("missing", ["train", "dev"])
def test_a_split_that_was_removed_is_made_again_alone(pipeline: Any, missing: str) -> None:
    shares = {"train": 0.5, "dev": 0.25, "test": 0.25}
    source = Dataset.objects.get(slug="wide")
    first = derivation.derive_dataset(source, how="splits", name="parts", options=shares)
    dataset_removal.finish(Dataset.objects.get(slug=f"parts-{missing}"))
    again = derivation.derive_dataset(source, how="splits", name="parts", options=shares)
    assert again["datasets"] == first["datasets"]


def test_long_work_says_that_it_lives(pipeline: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.flow.projects.job_queue.BEAT", 0.0)
    result: list[tuple[int, int]] = []
    source = Dataset.objects.get(slug="graphs")
    derivation.derive_dataset(
        source, how="contexts", name="told", progress=lambda done, total: result.append((done, total))
    )
    assert result[0] == (1, 0)
    assert (2, 4) in result
    assert result[-1] == (4, 4)


def test_nobody_else_derives(client: Any, bob: Any, dataset: Any) -> None:
    client.force_login(bob.user)
    assert client.get(at("wells")).status_code == 404
    assert client.post(at("wells", "singlehop"), {"name": "x"}).status_code == 404


def test_an_unknown_way_is_not_there(asked: Any) -> None:
    assert asked.get(at("wells", "magic")).status_code == 404


def test_imported_graphs_go_on_to_the_workers_who_write_questions(asked: Any, pipeline: Any) -> None:
    Dataset.objects.filter(slug="graphs").update(lineage={})
    html = one_line(asked.get(at("graphs")).content.decode())
    recommended = html[: html.index("recommended next")].rpartition("<h3>")[2]
    assert recommended.strip().startswith("Questions written by workers")


def test_imported_single_hop_questions_go_on_to_pairs_and_then_with_the_pairs(asked: Any, pipeline: Any) -> None:
    Dataset.objects.filter(slug="single").update(lineage={})
    done = one_line(asked.get(at("single")).content.decode())
    assert done.index('class="stages"') < done.index('id="lineage"')
    first = done.partition("<h3>")[2].partition("<h3>")[0]
    assert first.startswith("Pairs")
    assert f'class="button primary" href="{at("pairs")}">Continue with pairs</a>' in first
    assert done.count("button primary") == 1
    Dataset.objects.filter(slug="pairs").delete()
    first = one_line(asked.get(at("single")).content.decode()).partition("<h3>")[2].partition("<h3>")[0]
    assert 'class="button primary" href="?how=composable-pairs"' in first


def test_composing_is_offered_where_there_are_graphs_only(asked: Any) -> None:
    offered = reverse("batch-new", args=["wells"]) + "?dataset=wells"
    assert offered in asked.get(at("wells")).content.decode()
    dataset = Dataset.objects.get()
    dataset.features = dataset.features | {"hops": {"0": dataset.size}, "paragraphs": {"4": 4}, "one_support": 4}
    dataset.save()
    html = asked.get(at("wells")).content.decode()
    assert offered not in html
    assert "Needs graphs of hops." in html
    assert 'href="?how=singlehop"' in html
