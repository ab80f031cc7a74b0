"""The former name of `dry_run`, kept as an alias."""

from annotation.dry_run.management.commands.dry_run import Command as Command
