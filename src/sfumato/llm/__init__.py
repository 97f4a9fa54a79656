"""Chat models behind one interface: HTTP, GGUF files, recordings; prompts, parsing, cache and usage."""

from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Chat, LogitsModel, Message, Reply, Request, logits_model
from sfumato.llm.prompt import Prompt, PromptRunner
from sfumato.llm.replay import RecordingChat, ReplayChat, ScriptedChat
from sfumato.llm.settings import open_chat
from sfumato.llm.usage import Price, Prices, Usage

__all__ = [
    "CachedChat",
    "Chat",
    "LogitsModel",
    "Message",
    "Price",
    "Prices",
    "Prompt",
    "PromptRunner",
    "RecordingChat",
    "ReplayChat",
    "Reply",
    "Request",
    "ScriptedChat",
    "Usage",
    "logits_model",
    "open_chat",
]
