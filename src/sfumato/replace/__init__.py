"""What stands in the place of personal information."""

from sfumato.replace.base import Replacer, SpanReplacer

__all__ = ["Replacer", "SpanReplacer"]
