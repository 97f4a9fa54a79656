"""Methods that write a whole text anew, and the check that every rewrite has to pass."""

from sfumato.rewriters.base import Draft, Rewriter, TextRewriter

__all__ = ["Draft", "Rewriter", "TextRewriter"]
