"""A former name of an operation of the API: see `annotation/management/api_command.py`."""

from annotation.management import api_command

Command = api_command.command("create_results_dataset")
