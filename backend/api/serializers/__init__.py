"""What the staff API is sent and shows, by room."""
