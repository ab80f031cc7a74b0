"""The former name of `import_responses`, still accepted."""

from annotation.management.commands.import_responses import Command as Command
