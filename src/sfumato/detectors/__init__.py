"""Where is the personal information?"""

from sfumato.detectors.base import Detector

__all__ = ["Detector"]
