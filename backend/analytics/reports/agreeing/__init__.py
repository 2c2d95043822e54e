"""Whether judges answer alike, and which machine judge answers as the experts do."""
