"""The former name of `hopscribe_client`, for programs that run in a checkout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
import hopscribe_client

sys.modules[__name__] = hopscribe_client
