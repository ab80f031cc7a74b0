"""The product's settings with the floor's addresses besides."""

from annotation.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.urls"
