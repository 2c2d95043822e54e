"""A study's panel as its coordinator keeps it: links, letters, reminders."""
