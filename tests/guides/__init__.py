"""The examples of the guides, and what they need to run: `tests/process/test_guides_run.py` runs them."""
