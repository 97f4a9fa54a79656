"""Published methods that write a whole text anew."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
