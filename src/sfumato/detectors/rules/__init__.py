"""Patterns with checksums, context words and name lists: what can be found without a model."""

from sfumato.detectors.rules.detector import RuleDetector

__all__ = ["RuleDetector"]
