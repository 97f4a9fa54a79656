"""Replacers: what a release has in place of personal information."""

from sfumato.replacers.base import Replacer, SpanReplacer, assign_absent, entity_of, numbered_label

__all__ = ["Replacer", "SpanReplacer", "assign_absent", "entity_of", "numbered_label"]
