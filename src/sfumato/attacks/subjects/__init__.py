"""Who is in a released text, and what can still be inferred of each of them (Oh et al., 2026)."""

from sfumato.attacks.subjects.attack import Fact, Subject, SubjectAttack, aligned, subjects_of
from sfumato.attacks.subjects.matching import TAGS, Attribute, AttributeJudge, Profile, agreement, attempt_of
from sfumato.attacks.subjects.profiler import HouseProfiler, Profiler

__all__ = [
    "TAGS",
    "Attribute",
    "AttributeJudge",
    "Fact",
    "HouseProfiler",
    "Profile",
    "Profiler",
    "Subject",
    "SubjectAttack",
    "agreement",
    "aligned",
    "attempt_of",
    "subjects_of",
]
