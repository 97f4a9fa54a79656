"""Text re-identification: a network trained on the background to tell the people apart."""

from sfumato.attacks.trir.attack import Trir

__all__ = ["Trir"]
