"""What stands in the place of personal information."""

from sfumato.replacers.base import Replacer, SpanReplacer

__all__ = ["Replacer", "SpanReplacer"]
