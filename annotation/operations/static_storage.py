"""Static files: hashed names also inside ES modules, compressed once, cached for a year."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
