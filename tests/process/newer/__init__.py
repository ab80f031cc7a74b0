"""A later release for tests of the upgrade: an app whose second migration fails where NEWER_BREAKS is set."""
