"""Dates in English, as staff pages have them: the day, then the month in full."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
