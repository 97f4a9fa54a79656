"""A language model that names the person, shown the passages of the background that look most alike."""

from sfumato.attacks.rag.attack import Rag

__all__ = ["Rag"]
