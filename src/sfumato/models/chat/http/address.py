"""Where a server is, and the key that opens it: to whom text and key may go."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from sfumato.errors import RecipeError

KEY = "SFUMATO_CHAT_KEY"
OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL in parts. The key is in no repr."""

    base: str
    """Without a final slash; what has no path gets ``/v1``."""
    host: str
    """With its port."""
    machine: str
    """Without."""
    model: str | None
    key: str = field(repr=False)
    key_from: str
    """The environment variable that the key is read from."""

    @property
    def path(self) -> str:
        """Behind the host; two gateways on one host differ in it alone."""
        return urlsplit(self.base).path

    @classmethod
    def of(cls, url: str, key_env: str | None = None) -> Address:
        """``URL`` or ``URL#MODEL``. ``key_env``: where the key stands; empty: send none."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise RecipeError("a chat URL cannot be read: write it as http://127.0.0.1:8080/v1") from None
        shown = f"{parts.scheme}://{host}" + (f":{port}" if port else "") + parts.path
        if parts.scheme not in ("http", "https") or not host:
            raise RecipeError(f"chat URL {shown!r}: write it as http://127.0.0.1:8080/v1 or https://HOST/v1")
        if parts.username is not None or parts.password is not None or parts.query:
            raise RecipeError(
                f"chat URL {shown}: a key does not belong into an address; put it into the environment as {KEY}"
            )
        name = f"[{host}]" if ":" in host else host
        where = name + (f":{port}" if port else "")
        base = f"{parts.scheme}://{where}{parts.path.rstrip('/') or '/v1'}"
        variable = _variable(host) if key_env is None else key_env
        key = os.environ.get(variable, "") if variable else ""
        if not key.isascii() or any(sign.isspace() for sign in key):
            raise RecipeError(f"the key in {variable} is not one: it has white space or letters that no key has")
        if key and parts.scheme == "http" and not is_loopback(host):
            raise RecipeError(
                f"{base}: the key in {variable} would go over the network readable by all; use https, "
                f"or take {variable} out of the environment"
            )
        return cls(base, where, host, unquote(parts.fragment) or None, key, variable or KEY)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _variable(host: str) -> str:
    """OpenAI's key goes to OpenAI alone: another host would learn it."""
    at_openai = host == "api.openai.com" or host.endswith(".api.openai.com")
    return OPENAI_KEY if at_openai and KEY not in os.environ else KEY
