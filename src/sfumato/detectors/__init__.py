"""Detectors: where a text holds personal information."""

from sfumato.detectors.base import Detector, Threshold, resolve_threshold

__all__ = ["Detector", "Threshold", "resolve_threshold"]
