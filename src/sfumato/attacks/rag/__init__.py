"""A language model that judges the likeliest people, shown what is known of each that is most like the release."""

from sfumato.attacks.rag.attack import Rag

__all__ = ["Rag"]
