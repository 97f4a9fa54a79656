"""What goes with a protected release: made, written down, put into words, checked."""
