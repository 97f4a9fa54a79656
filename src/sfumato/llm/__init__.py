"""Chat models behind one interface: HTTP, GGUF files, recordings; prompts, parsing, cache and usage."""

from sfumato.llm.chat import Chat, Message, Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.settings import open_chat
from sfumato.llm.usage import Price, Prices, Usage

__all__ = ["Chat", "Message", "Price", "Prices", "Reply", "Request", "ScriptedChat", "Usage", "open_chat"]
