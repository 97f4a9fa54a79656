"""Published detectors: language models with their prompts, fine-tuned taggers, services, common terms."""

from pathlib import Path

PACKAGE = __name__
"""Where ``data/`` lies."""
PROMPTS = Path(__file__).parent / "prompts"
