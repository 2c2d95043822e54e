"""What the log says, without the secrets that an expert's addresses hold."""

import logging
import re

# The secret of a link, the token of an assignment, the code of an expert.
_SECRET = re.compile(r"\b(desk|invitation|join|poem|panel(?=/[\w-]{22}\b))/[^/\s]+")


class WithoutSecrets(logging.Formatter):
    """Formats a line, its traceback included, and cuts personal keys out of addresses."""

    def format(self, record: logging.LogRecord) -> str:
        return _SECRET.sub(r"\1/...", super().format(record))
