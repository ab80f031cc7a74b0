"""Beginnings of addresses below a project."""

PROJECT = "projects/<slug:slug>/"
BATCH = f"{PROJECT}batches/<slug:batch>/"
DATASET = f"{PROJECT}datasets/<slug:name>/"
