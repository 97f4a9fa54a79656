"""Turn a BERT encoder into a Longformer: attention within a window, positions for long texts.

``python -m training.token_classifier.make_long --base FOLDER --out FOLDER --positions 4096 --window 256``

As Beltagy et al. (2020) begin: the table of positions is repeated until it is long enough, and the global attention
begins with the weights of the local one. The result has to be trained; it knows nothing of distances beyond the
original's positions yet.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers


def make_long(base: Path, out: Path, positions: int, window: int) -> Any:
    """The Longformer encoder, which is also written to ``out`` with its tokenizer."""
    bert = transformers.AutoModel.from_pretrained(base, add_pooling_layer=False)
    config = bert.config
    if config.model_type != "bert":
        raise SystemExit(f"{base}: is a {config.model_type}, and only a BERT can be made long here")
    if positions <= config.max_position_embeddings:
        raise SystemExit(f"--positions {positions}: the base has {config.max_position_embeddings} already; give more")
    if window % 2 or window < 2:
        raise SystemExit(f"--window {window}: an even number, half of it on either side")
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    # Longformer counts positions from the padding token on, as RoBERTa does.
    offset = tokenizer.pad_token_id + 1
    long_config = transformers.LongformerConfig(
        attention_window=[window] * config.num_hidden_layers,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        hidden_act=config.hidden_act,
        hidden_size=config.hidden_size,
        intermediate_size=config.intermediate_size,
        layer_norm_eps=config.layer_norm_eps,
        max_position_embeddings=positions + offset,
        num_attention_heads=config.num_attention_heads,
        num_hidden_layers=config.num_hidden_layers,
        pad_token_id=tokenizer.pad_token_id,
        sep_token_id=tokenizer.sep_token_id,
        type_vocab_size=config.type_vocab_size,
        vocab_size=config.vocab_size,
    )
    model = transformers.LongformerModel(long_config, add_pooling_layer=False)
    weights = bert.state_dict()
    long_weights = {name: value for name, value in weights.items() if not name.endswith("position_ids")}
    table = weights["embeddings.position_embeddings.weight"]
    repeated = table.repeat(-(-positions // len(table)), 1)[:positions]
    long_weights["embeddings.position_embeddings.weight"] = torch.cat([torch.zeros(offset, table.shape[1]), repeated])
    for name, value in weights.items():
        for part in ("query", "key", "value"):
            if f".attention.self.{part}." in name:
                long_weights[name.replace(f".{part}.", f".{part}_global.")] = value.clone()
    missing, unknown = model.load_state_dict(long_weights, strict=False)
    left = [name for name in (*missing, *unknown) if not name.endswith(("position_ids", "token_type_ids"))]
    if left:
        raise SystemExit(f"{base}: its weights do not fit a Longformer, beginning with {left[0]}")
    model.save_pretrained(out)
    tokenizer.model_max_length = positions
    tokenizer.save_pretrained(out)
    return model


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True, help="a BERT: config.json, weights, tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=4096)
    parser.add_argument("--window", type=int, default=256, help="sub-tokens that each one attends to")
    given = parser.parse_args(argv)
    make_long(given.base, given.out, given.positions, given.window)


if __name__ == "__main__":
    main()
