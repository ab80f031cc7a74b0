"""A former name of an operation of the API: see `annotation/management/aliases.py`."""

from annotation.management import aliases

Command = aliases.command("experiment")
