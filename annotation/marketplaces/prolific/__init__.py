"""Prolific as a kind of marketplace."""
