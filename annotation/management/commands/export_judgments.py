"""The former name of `export_responses`, still accepted."""

from annotation.management.commands.export_responses import Command as Command
