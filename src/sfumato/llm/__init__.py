"""Chat models behind one interface: HTTP, GGUF files, recordings; prompts, parsing, cache and usage."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.llm.chat import Chat, Message, Reply, Request
    from sfumato.llm.replay import ScriptedChat
    from sfumato.llm.settings import open_chat
    from sfumato.llm.usage import Price, Prices, Usage

__all__ = ["Chat", "Message", "Price", "Prices", "Reply", "Request", "ScriptedChat", "Usage", "open_chat"]

_MODULES = {
    **dict.fromkeys(("Chat", "Message", "Reply", "Request"), "chat"),
    **dict.fromkeys(("Price", "Prices", "Usage"), "usage"),
    "ScriptedChat": "replay",
    "open_chat": "settings",
}


def __getattr__(name: str) -> Any:
    """Import on first use: most runs ask no language model, and need only what is said of its use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'sfumato.llm' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sfumato.llm.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, also those that are not imported yet."""
    return __all__
