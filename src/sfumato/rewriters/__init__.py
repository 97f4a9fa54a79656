"""Methods that rewrite a whole text, and the check that every rewrite must pass."""

from sfumato.rewriters.base import Draft, Rewriter, TextRewriter

__all__ = ["Draft", "Rewriter", "TextRewriter"]
