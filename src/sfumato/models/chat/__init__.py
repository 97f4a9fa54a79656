"""Language models that answer: one interface, and what every method that asks shares."""

from sfumato.models.chat.asking import Asking
from sfumato.models.chat.base import Chat, GivesLogits, Message, Reply, Request, logits_of
from sfumato.models.chat.cache import CachedChat
from sfumato.models.chat.open import open_chat
from sfumato.models.chat.prices import Price, Prices
from sfumato.models.chat.prompt import Prompt
from sfumato.models.chat.replay import RecordingChat, ReplayChat
from sfumato.models.chat.scripted import ScriptedChat
from sfumato.models.chat.spent import Spent

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
