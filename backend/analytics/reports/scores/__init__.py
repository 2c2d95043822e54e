"""What each author was given, and in which order that puts them."""
