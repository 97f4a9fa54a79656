"""The model card beside fine-tuned weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.files import atomic_path

_TEMPLATE = Path(__file__).with_name("model_card.md")


def write_card(path: Path, content: Mapping[str, Any]) -> None:
    """What ``training.json`` says, in the template."""
    card = _TEMPLATE.read_text(encoding="utf-8").format(
        **{key: content[key] for key in ("base", "prompt", "date", "pairs", "validation_pairs", "seed", "device")},
        **{key: content["adapters"][key] for key in ("rank", "alpha", "layers", "parameters")},
        **{key: content["training"][key] for key in ("epochs", "batch", "steps", "rate")},
        base_loss=content["validation_loss"]["base"],
        tuned_loss=content["validation_loss"]["fine_tuned"],
    )
    with atomic_path(path) as temporary:
        temporary.write_text(card, encoding="utf-8")
