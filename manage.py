#!/usr/bin/env python
"""Hopscribe's command line: `manage.py help` lists the commands."""

import gc
import os
import sys


def main() -> int:
    gc.set_threshold(200_000)  # collecting it during imports takes a tenth of the start and frees nothing
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as misconfigured:
        sys.stderr.write(f"Hopscribe cannot start: {misconfigured}\n")
        return 1
    except BrokenPipeError:  # such as `| head`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at the end
        return 141  # as a shell says of SIGPIPE
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. What was not finished is taken back.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
