"""New records by a fine-tuned language model, and de-identified notes filled with invented values."""

PACKAGE = __name__
"""Where ``data/`` lies."""
