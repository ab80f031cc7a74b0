"""The task types: one folder = one question put to a person (tasks/README.md)."""
