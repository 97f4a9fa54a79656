"""Language models that answer: one interface, and what every method that asks shares."""

from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Chat, GivesLogits, Message, Reply, Request, logits_of
from sfumato.llm.prompt import Asking, Prompt
from sfumato.llm.replay import RecordingChat, ReplayChat, ScriptedChat
from sfumato.llm.settings import open_chat
from sfumato.llm.usage import Price, Prices, Spent

__all__ = [
    "Asking",
    "CachedChat",
    "Chat",
    "GivesLogits",
    "Message",
    "Price",
    "Prices",
    "Prompt",
    "RecordingChat",
    "ReplayChat",
    "Reply",
    "Request",
    "ScriptedChat",
    "Spent",
    "logits_of",
    "open_chat",
]
