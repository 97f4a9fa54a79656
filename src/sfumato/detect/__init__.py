"""Where is the personal information?"""

from sfumato.detect.base import Detector

__all__ = ["Detector"]
