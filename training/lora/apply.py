"""Merge trained adapters into their base, so that any server of language models can serve the result.

    python -m training.lora.apply ADAPTERS --base MODEL --out FOLDER

ADAPTERS is a file that ``training.lora.train`` wrote, such as smollm2_clinical/adapters.safetensors beside this module;
MODEL is what they were trained on: a folder of Hugging Face or a GGUF file.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import InputError, SfumatoError
from sfumato_papers.synthesis.causal import CausalLM
from training.lora.adapters import load_adapters, merge


def apply(adapters: Path, base: str, out: Path) -> None:
    """Write the folder of the base with the adapters in its weights."""
    if not adapters.is_file():
        raise InputError(f"{adapters}: there is no such file; name the adapters.safetensors of a run of training.lora")
    if out.exists():
        raise InputError(f"{out}: is there already; name a new folder")
    model = CausalLM(base, "cpu")
    load_adapters(model.network, adapters)
    merge(model.network)
    model.save(out)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapters", type=Path)
    parser.add_argument("--base", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(argv)
    try:
        apply(given.adapters, given.base, given.out)
    except SfumatoError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
