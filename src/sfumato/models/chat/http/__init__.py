"""A server that speaks OpenAI's chat interface: where it is, how it is asked, and with what patience."""

from sfumato.models.chat.http.client import HttpChat

__all__ = ["HttpChat"]
