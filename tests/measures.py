"""How much code there is, by subject, and whether that is below the ceilings of `tests/measures.toml`.

`python -m tests.measures` prints it and fails above a ceiling; `--subjects` prints each subject too; `--lower` writes
lower ceilings where less is there by now. Code is what git knows of Python outside tests: lines that are neither blank,
comment nor docstring (after the formatter at 120 columns), statements of the syntax tree, and tokens.
"""

from __future__ import annotations

import ast
import gc
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.architecture import MOST_FUNCTION_LINES, SUBJECTS
from tests.template_rules import WIDTH, scripts, templates

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = "tests/measures.toml"
EMULATOR = "prolific-emulator"  # another service's double: the total is printed without it too
LAYERS = ("flow", "views", "api", "forms", "urls", "pure")
STEPS = {"tokens": 1000, "files": 10, "long_functions": 1, "wide_template_lines": 1}  # of ceilings; all others:
STEP = 100
NO_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
NO_TOKENS |= {tokenize.ENCODING, tokenize.ENDMARKER}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Measures(NamedTuple):
    """`total`: each measure by its name in CEILINGS; `subjects`: those of Python by subject."""

    total: Counter[str]
    subjects: dict[str, Counter[str]]

    def tables(self) -> dict[str, dict[str, int]]:
        """What has a ceiling, as in CEILINGS: of subjects only the code lines."""
        return {"total": self.total, "subjects": {name: of["code_lines"] for name, of in self.subjects.items()}}


def listed(root: Path) -> list[str]:
    """The Python files outside tests that git knows and that are there."""
    names = subprocess.run(["git", "ls-files", "*.py"], cwd=root, capture_output=True, text=True, check=True)
    return [name for name in names.stdout.split() if "tests" not in name.split("/")[:-1] and (root / name).exists()]


def measure(root: Path, files: Iterable[str]) -> Measures:
    """What is in these files, and in the tree's templates and scripts."""
    total = Counter[str]()
    subjects: dict[str, Counter[str]] = {}
    for name in files:
        found = _of_text((root / name).read_text())
        total.update(found, files=1)
        subjects.setdefault(subject(name), Counter()).update(found)
    lines = [line for file in templates(root) for line in file.read_text().splitlines()]
    total["template_lines"] = len(lines)
    total["wide_template_lines"] = sum(len(line) > WIDTH for line in lines)
    total["script_lines"] = sum(len(file.read_text().splitlines()) for file in scripts(root))
    return Measures(total, subjects)


def _of_text(text: str) -> dict[str, int]:
    tree = ast.parse(text)
    statements = list(_statements(tree.body))
    documented = [node for node in (tree, *statements) if isinstance(node, DOCUMENTED)]
    no_code = {line for node in documented for line in _docstring(node)}
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    long = [node for node in statements if isinstance(node, FUNCTIONS) and _length(node) > MOST_FUNCTION_LINES]
    return {
        "code_lines": sum(bool(line) and line[0] != "#" and number not in no_code for number, line in lines),
        "statements": len(statements),
        "tokens": sum(token.type not in NO_TOKENS for token in tokenize.generate_tokens(io.StringIO(text).readline)),
        "long_functions": len(long),
    }


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, inner, []))
        for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(branch.body)


def _docstring(node: Any) -> range:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
        return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def subject(path: str) -> str:
    """One of the nine subjects whatever the layer; else the room of `annotation`, the task, or the top folder."""
    first, *rest = path.removesuffix(".py").split("/")
    if first == "annotation" and len(rest) > 1:
        return rest[1] if rest[0] in LAYERS and rest[1] in SUBJECTS["flow"] else f"annotation/{rest[0]}"
    return f"tasks/{rest[0]}" if first == "tasks" and len(rest) > 1 else first


def ceilings(root: Path = ROOT) -> dict[str, Any]:
    """`tests/measures.toml`: tables `total`, `subjects`, `walks` and `budgets`."""
    return tomllib.loads((root / CEILINGS).read_text())


def above(found: Measures, most: dict[str, Any]) -> list[str]:
    """A sentence for each measure above its ceiling, and for each that has none."""
    said = []
    for table, measured in found.tables().items():
        for name, there in measured.items():
            if there > (ceiling := most[table].get(name, 0)):
                said.append(
                    f"{name}: {there:,}, and the ceiling is {ceiling:,}. Take {there - ceiling:,} away, or raise the "
                    f"ceiling in {CEILINGS} in this commit, with the reason."
                )
    return said


def lowered(text: str, found: Measures) -> str:
    """The file of ceilings, with those lowered that can be; its comments stay."""
    tables = found.tables()
    lines, table = text.splitlines(), ""
    for number, line in enumerate(lines):
        table = line.strip("[]") if line.startswith("[") else table
        entry = re.match(r'("?)([\w/-]+)\1 = ([\d_]+)', line)
        if entry and table in tables:
            step = STEPS.get(entry[2], STEP)
            there = -(-tables[table].get(entry[2], 0) // step) * step
            if there < int(entry[3]):
                lines[number] = f"{entry[1]}{entry[2]}{entry[1]} = {there:_}{line[entry.end() :]}"
    return "\n".join(lines) + "\n"


def report(found: Measures, most: dict[str, Any], subjects: bool = False) -> str:
    """A line for each measure with its ceiling, and for each subject its code lines, statements and tokens."""
    lines = [f"{name:28}{there:>9,} of {most['total'].get(name, 0):,}" for name, there in found.total.items()]
    without = found.total["code_lines"] - found.subjects.get(EMULATOR, Counter())["code_lines"]
    lines.append(f"{'  without ' + EMULATOR:28}{without:>9,}")
    for name, walk in most["walks"].items():
        lines.append(f"{name}: at most {walk['files']} files, {walk['crossings']} crossings")
    for name, there in sorted(found.subjects.items() if subjects else ()):
        code, ceiling = there["code_lines"], most["subjects"].get(name, 0)
        lines.append(f"{name:28}{code:>9,} of {ceiling:<7,}{there['statements']:>9,}{there['tokens']:>10,}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    gc.disable()  # syntax trees are many small objects: four times as fast
    found = measure(ROOT, listed(ROOT))
    if "--lower" in arguments:
        file = ROOT / CEILINGS
        file.write_text(lowered(file.read_text(), found))
    print(report(found, ceilings(), "--subjects" in arguments))
    failed = above(found, ceilings())
    print("\n".join(failed), file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
