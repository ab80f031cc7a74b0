"""The product's settings with the app of a later release."""

from annotation.settings import *  # noqa: F403
from annotation.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.process.newer"]
