"""Words that docs/glossary.md replaced: none of them is left in names, in texts that people read, or in the guides."""

from __future__ import annotations

import ast
import io
import re
import shutil
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.translations import copy_texts, gather

ROOT = Path(__file__).resolve().parent.parent
# Parts of names (`seat` is one in `seat_of`, not in `seated`): what they were called before.
OLD_NAMES = re.compile(
    r"(?<![a-z])(seats?|guides?|flagged|void(?:ed|s)?|judg(?:e)?ments?|verdicts?|gather(?:s|ed|ing)?|doors?|wish(?:es)?"
    r"|letters?|teller|rehears\w*|houses?|wires?|crumbs|retired?|give_back|given_back)(?![a-z])",
    re.I,
)
# {file or folder: {name: why it may stay}}; "*" stands for every name there.
NAMES_THAT_STAY = {
    "annotation/api/": {"*": "former addresses and keys, still accepted"},
    "annotation/dry_run/plugin.py": {"*": "former addresses, still accepted"},
    "client/hopscribe_client/batches.py": {"*": "former methods, still accepted"},
    "annotation/management/commands/": {"*": "former commands and options, still accepted"},
    "annotation/dry_run/management/commands/": {"*": "a former command, still accepted"},
    "annotation/models/": {"*": "names of constraints and stored values, which a rename would rewrite tables for"},
    "annotation/migrations/": {"*": "the same"},
    "annotation/marketplaces/migrations/": {"*": "the same"},
    "annotation/flow/batches/hit_filters.py": {"void": "a former value, still accepted"},
    "annotation/flow/projects/audit_log_table.py": {"*": "recorded acts: entries of the log are never changed"},
    "annotation/flow/review/problem_reports.py": {"voided": "a recorded act"},
    "annotation/flow/data/item_editing.py": {"retired": "a recorded act"},
    "annotation/flow/review/results_dataset.py": {"verdicts": "stored in lineages and reports"},
    "annotation/derivations/base.py": {"verdicts": "stored in lineages"},
    "annotation/pure/data/provenance.py": {"verdict": "read in datasets that were made before"},
    "annotation/pure/review/label_tables.py": {"verdicts": "a table's name in addresses"},
    "annotation/pure/money/pricing.py": {"house": "a stored value"},
    "annotation/marketplaces/management/commands/": {"house": "a stored value"},
    "annotation/webhooks/": {"*": "kinds of events and of subscriptions that programs know"},
    "annotation/mturk_api/": {"*": "stored sources of decisions, and keys of payments"},
    "annotation/tasktype/contract.py": {"verdict": "what a worker says of a pair (tasks/sufficiency)"},
    "annotation/formats/": {"*": "letters of options in RACE"},
    "annotation/derivations/ablations.py": {"option_letters": "letters of options"},
    "annotation/flow/reports/batch_scores.py": {"option_letters": "letters of options"},
    "annotation/pure/data/": {"*": "letters of options and of labels; judgments of bridges"},
    "annotation/pure/net/addresses.py": {"*": "letters of an address"},
    "annotation/scorers/squad.py": {"flagged": "what a record of SQuAD says"},
    "annotation/views/": {"letter": "that names a response beside others", "_letters": "the same"},
    "annotation/templatetags/rating_tags.py": {"letter": "that names a response beside others"},
    "annotation/demo/compose_batch.py": {"*": "judgments of bridges"},
    "tasks/sufficiency/": {"*": "a worker's verdict on a pair: stored in responses and files"},
    "tasks/compose/": {"*": "judgments of bridges"},
    "tasks/coreference/": {"*": "judgments of bridges; a table's name in addresses"},
    "annotation/tasktype/helpers/report_tables.py": {"verdicts": "a table's name in addresses"},
    "tasks/subquestions/": {"*": "judgments of sub-questions; a table's name in addresses"},
}
# Phrases on pages, in messages, mails and guides.
OLD_TEXTS = {
    r"\brehears(?:al|e|ed)\w*": "dry run",
    r"\bvoid(?:ed|s|ing)?\b": "exclude",
    r"\btop(?:ped)? up\b(?! to the)": "add assignments",
    r"\bbring in (?:judgments|answers)": "import responses",
    r"\bgather(?:s|ed)? (?:a )?dataset": "create a dataset from the results",
    r"\bthe house\b": "built-in marketplace, this installation",
    r"\bfinal answer of the HIT": "aggregated response",
    r"\bput aside\b": "discard, skip or return",
    r"\bguide to read\b|\bthe guide has\b|\bread the guide\b": "instructions",
    r"\bflag(?:ged|s)? (?:an? |the |this )?(?:item|HIT)": "report a problem",
    r"\bthe wire\b": "the MTurk API",
    r"\bthe crowd\b(?! HTML)": "workers",
    r"\bretire[sd]?\b": "archive a dataset or an item, delete a qualification",
}


def names_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, name or text without a space) of everything in a module that is not prose."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        name = token.type == tokenize.NAME
        if name or (token.type == tokenize.STRING and not re.search(r"\s", token.string)):
            yield token.start[0], token.string


def stays(path: str, name: str) -> bool:
    plain = name.strip("\"'")
    return any(
        path.startswith(where) and ("*" in names or any(one in plain for one in names))
        for where, names in NAMES_THAT_STAY.items()
    )


def test_no_name_has_an_old_word() -> None:
    found = []
    for file in sorted([*(ROOT / "annotation").rglob("*.py"), *(ROOT / "tasks").rglob("*.py")]):
        path = file.relative_to(ROOT).as_posix()
        found += [
            f"{path}:{line} {name}" for line, name in names_of(file) if OLD_NAMES.search(name) and not stays(path, name)
        ]
    assert not found, "\n".join(found)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """(where, text) of every text that is translated, of every module's docstrings, and of every guide."""
    if shutil.which("xgettext") is None:
        pytest.skip("gettext's programs were not found (apt-get install gettext)")
    folder = tmp_path_factory.mktemp("texts")
    copy_texts(ROOT, folder)
    found = [("a message", entry.id) for entry in gather(folder).values()]
    for file in sorted([*(ROOT / "annotation").rglob("*.py"), *(ROOT / "tasks").rglob("*.py")]):
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, kinds)]
        prose = [re.sub(r"`[^`]*`", "", ast.get_docstring(node) or "") for node in nodes]
        found.append((file.relative_to(ROOT).as_posix(), "\n".join(prose)))
    for file in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "tasks").glob("*/*.md"))]:
        prose = re.sub(r"```.*?```|`[^`]*`|<!--.*?-->", "", file.read_text(), flags=re.S)
        found.append((file.relative_to(ROOT).as_posix(), prose))
    return found


@pytest.mark.parametrize(("pattern", "now"), OLD_TEXTS.items())
def test_no_text_has_an_old_phrase(pattern: str, now: str, texts: list[tuple[str, str]]) -> None:
    hits = [(where, text, match) for where, text in texts if (match := re.search(pattern, text, re.I))]
    found = [f"{where}: {text[max(0, match.start() - 80) : match.end() + 80]!r}" for where, text, match in hits]
    assert not found, f"write {now}\n" + "\n".join(found)


def test_the_rule_finds_what_it_is_there_to_find() -> None:
    found = [name for name in ("seat_of", "hit__voided_at", "Guide", "seated", "breadcrumbs") if OLD_NAMES.search(name)]
    assert found == ["seat_of", "hit__voided_at", "Guide"]
