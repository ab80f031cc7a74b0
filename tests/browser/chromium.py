"""The Chromium that tests and comparisons start."""

from __future__ import annotations

import shutil

# The shell has no window to draw: it takes half of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "Chromium is not installed (apt-get install chromium-headless-shell)"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--in-process-gpu",
    "--disable-site-isolation-trials",
    "--disable-software-rasterizer",
]  # no --disable-features: Chromium takes the last alone, so it would undo Playwright's
