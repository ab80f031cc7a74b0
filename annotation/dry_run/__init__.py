"""Dry runs: a temporary copy of a batch, served as in production, worked on by simulated workers over HTTP."""
