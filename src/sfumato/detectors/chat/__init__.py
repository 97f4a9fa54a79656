"""What a language model says gives people away."""

from sfumato.detectors.chat.detector import ChatDetector
from sfumato.detectors.chat.prompts import (
    AllAttributes,
    AllAttributesEntitiesOnly,
    AllAttributesFirstOnly,
    AllAttributesNoExample,
    ManVsMachine,
    Sparks,
    Student,
)

__all__ = [
    "AllAttributes",
    "AllAttributesEntitiesOnly",
    "AllAttributesFirstOnly",
    "AllAttributesNoExample",
    "ChatDetector",
    "ManVsMachine",
    "Sparks",
    "Student",
]
