"""What attacks and metrics let the user choose by name: one of the house, or ``chat``, which asks a language model.

``chat:FILE.toml`` asks with a prompt of the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sfumato import registry
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.models.chat import Chat

CHAT = "chat"
T = TypeVar("T")


def chosen(
    what: str, name: str, plain: Mapping[str, Callable[[], T]], asking: Callable[..., T], chat: Chat | None
) -> T:
    """The one of that name; ``asking`` makes the one that asks, from a Chat and, where one is named, a prompt file."""
    if name in plain:
        return plain[name]()
    kind, _, prompt = name.partition(":")
    if kind != CHAT:
        raise RecipeError(f"no {what} {name!r}: {suggest(name, [*plain, CHAT])}")
    if chat is None:
        raise _no_chat(what, CHAT)
    return asking(chat, **({"prompt": prompt} if prompt else {}))


def registered(kind: str, name: str, chat: Chat | None) -> Any:
    """A plug-in without options of its own but for the prompt."""
    named, _, prompt = name.partition(":")
    if chat is None and registry.asks(kind, named, {}):
        raise _no_chat(kind, named)
    return registry.create(kind, named, {"prompt": prompt} if prompt else {}, chat=chat)


def _no_chat(what: str, name: str) -> NotMeasurable:
    return NotMeasurable(f"the {what} {name!r} needs a language model: give --chat URL|FILE.gguf")
