"""The former name of `qualification_round_report`, still accepted."""

from annotation.management.commands.qualification_round_report import Command as Command
