"""Attacks on released texts: each reads released text and returns Attempt records."""

from sfumato.attacks.base import MAX_GUESSES, LinkingAttack, Person, ranked_attempt

__all__ = ["MAX_GUESSES", "LinkingAttack", "Person", "ranked_attempt"]
