"""Patterns with checksums, context words and name lists: what can be found without a model."""

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.patterns import Pattern, PatternSet

__all__ = ["Pattern", "PatternSet", "RuleDetector"]
