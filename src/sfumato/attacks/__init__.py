"""Can someone undo it? Each attack reads released text and leaves Attempt records."""

from sfumato.attacks.base import TOP, LinkingAttack, Person, ranked

__all__ = ["TOP", "LinkingAttack", "Person", "ranked"]
