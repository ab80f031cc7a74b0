"""A guide as one script for bash: its blocks in their order, in one shell, with the steps between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote

from tests.guides.blocks import Block

STEP = '(cd "$STEPS_ROOT" && exec "$STEPS_PYTHON" -m tests.guides.given "$FOLDER" {})'
PROLOGUE = """\
set -euo pipefail
trap 'echo "$PLACE: this failed: $BASH_COMMAND" >&2' ERR
trap '[ -z "${GOING_ON:-}" ] || kill "$GOING_ON" 2>/dev/null || true' EXIT
"""


def script_of(blocks: Iterable[Block], stands_for: Mapping[str, str]) -> str:
    """`stands_for`: what a reader puts in the place of an example's words, such as another address or a key."""
    return PROLOGUE + "\n".join(_lines(block, stands_for) for block in blocks if not block.not_run)


def _lines(block: Block, stands_for: Mapping[str, str]) -> str:
    text = block.text
    for words, instead in stands_for.items():
        text = text.replace(words, instead)
    before = [f"PLACE={block.place}", f"echo '== {block.place}'", *(STEP.format(step) for step in block.first)]
    after = []
    for step in block.meanwhile:
        before += [f"{STEP.format(f'--on-and-on {step}')} &", "GOING_ON=$!"]
        after = ['kill "$GOING_ON"', 'wait "$GOING_ON" || true']
    if block.language == "python":
        text = f'PYTHONPATH="$STEPS_ROOT:$STEPS_ROOT/client" "$STEPS_PYTHON" -W error -c {quote(text)}\n'
    return "\n".join([*before, text, *after])
