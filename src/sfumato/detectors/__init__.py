"""Where is the personal information?"""

from sfumato.detectors.base import Detector, Threshold, score_at

__all__ = ["Detector", "Threshold", "score_at"]
