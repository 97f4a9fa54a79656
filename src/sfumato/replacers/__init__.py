"""What stands in the place of personal information."""

from sfumato.replacers.base import Replacer, SpanReplacer, assign_absent, entity_of, number

__all__ = ["Replacer", "SpanReplacer", "assign_absent", "entity_of", "number"]
