"""Values of the same type from a language model that sees the types alone."""
