"""Published attacks that are run by name: TRIR, retrieval with a language model, claims, profiles of subjects."""

from pathlib import Path

PACKAGE = __name__
"""Where ``data/`` lies."""
PROMPTS = Path(__file__).parent / "prompts"
