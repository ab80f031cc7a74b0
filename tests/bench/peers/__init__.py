"""Other annotation tools, measured beside ours: `python -m tests.bench.peers`. docs/scaling.md says what is counted."""
