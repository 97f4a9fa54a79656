"""Patterns with checksums, context words and name lists: what can be found without a model."""
