"""Whether a replacement is true, and vaguer than what it replaces."""
