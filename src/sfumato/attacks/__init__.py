"""Can someone undo it? Each attack reads released text and leaves Attempt records."""

from sfumato.attacks.base import MAX_GUESSES, LinkingAttack, Person, ranked_attempt

__all__ = ["MAX_GUESSES", "LinkingAttack", "Person", "ranked_attempt"]
