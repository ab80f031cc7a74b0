"""The tasks, one folder each (tasks/README.md)."""
