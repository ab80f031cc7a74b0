"""The former name of `create_results_dataset`, still accepted."""

from annotation.management.commands.create_results_dataset import Command as Command
