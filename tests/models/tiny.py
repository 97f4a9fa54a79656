"""Tiny random networks of Hugging Face, saved to a folder. Import only where torch is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

from tests.models.fakes import small_tokenizer

SIZES = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "initializer_range": 1.0}


def saved(kind: Any, config: Any, folder: Path, *, layers: int, longest: int, **more: Any) -> Path:
    """A network of that kind with the small tokenizer; ``more`` goes to its config, special tokens to the tokenizer."""
    special = {key: more.pop(key) for key in list(more) if key.endswith("_token")}
    network_config = config(
        vocab_size=small_tokenizer().get_vocab_size(),
        num_hidden_layers=layers,
        max_position_embeddings=longest,
        **SIZES,
        **more,
    )
    torch.manual_seed(5)
    kind(network_config).eval().save_pretrained(folder)
    names = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
    tokens = {**{f"{name}_token": token for name, token in names.items()}, **special}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=small_tokenizer(), model_max_length=longest, **tokens
    ).save_pretrained(folder)
    return folder
