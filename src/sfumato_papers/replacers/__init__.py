"""Published replacers and baselines."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
