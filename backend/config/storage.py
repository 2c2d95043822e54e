"""Static files of a deployed Blindverse: compressed, and named by their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Names the modules that a script imports by their content, too."""

    support_js_module_import_aggregation = True
