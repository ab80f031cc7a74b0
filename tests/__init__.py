"""The tests; whatever runs some of them imports this first."""

import os
import sys

# A tree whose compiled files are not kept is compiled anew by every process: collecting takes twice as long.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
