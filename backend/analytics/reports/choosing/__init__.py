"""Which of two texts judges choose."""
