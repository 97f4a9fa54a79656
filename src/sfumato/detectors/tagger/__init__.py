"""Our own small neural tagger, run by onnxruntime; how it was made is in ``training/tagger``."""

from sfumato.detectors.tagger.detector import TaggerDetector

__all__ = ["TaggerDetector"]
