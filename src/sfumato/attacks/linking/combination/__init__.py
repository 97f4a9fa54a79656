"""Several sparse links as one attack."""

from sfumato.attacks.linking.combination.attack import CombinedAttack

__all__ = ["CombinedAttack"]
