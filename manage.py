#!/usr/bin/env python
"""Blindverse's commands: ``manage.py help`` lists them."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        # One line that says what is wrong and how to mend it, not a traceback.
        sys.exit(f"manage.py: {problem}")


if __name__ == "__main__":
    main()
