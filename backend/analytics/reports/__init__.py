"""Reports: tables assembled from a frame, by kind of question, without touching the database."""
