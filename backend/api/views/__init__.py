"""The views of the staff API, by room."""
