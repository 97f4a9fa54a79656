"""Methods that write a whole text anew, and the check that every rewrite has to pass."""

from sfumato.rewriters.base import Draft, Rewriter, TextRewriter
from sfumato.rewriters.check import Mended, is_acceptable, mended

__all__ = ["Draft", "Mended", "Rewriter", "TextRewriter", "is_acceptable", "mended"]
