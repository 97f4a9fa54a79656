"""Metrics of single papers, and of language models as judges."""

from pathlib import Path

PACKAGE = __name__
"""Where ``data/`` lies."""
PROMPTS = Path(__file__).parent / "prompts"
