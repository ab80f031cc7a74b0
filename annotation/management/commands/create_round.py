"""The former name of `create_qualification_round`, still accepted."""

from annotation.management.commands.create_qualification_round import Command as Command
