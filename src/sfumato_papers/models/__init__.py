"""Models that only a published method needs."""
