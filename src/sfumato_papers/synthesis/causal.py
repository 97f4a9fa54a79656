"""A causal language model that can be trained: records as tokens, the log-probability of tokens, and sampling."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.files import sync
from sfumato.models import hugging_face
from sfumato.models.base import Floats
from sfumato.models.tokens import replace_surrogates
from sfumato_papers.attacks.trir.network import quiet

SEPARATOR = "\n\n"
"""Between a control code and the record."""
_ROOM = 16
"""Tokens that a prompt leaves for what is written after it, at least."""


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids of a record, and the number of the first one that is learned."""

    ids: tuple[int, ...]
    first: int = 1
    is_cut: bool = False
    """Whether the record was longer than allowed."""


@dataclass(frozen=True)
class SamplingOptions:
    """How tokens are drawn: the likeliest that make up ``top_p``, after division of the logits by ``temperature``."""

    temperature: float = 1.0
    top_p: float = 0.95
    max_tokens: int = 256

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise RecipeError(f"the temperature is above 0, got {self.temperature:g}")
        if not 0 < self.top_p <= 1:
            raise RecipeError(f"top_p is above 0 and at most 1, got {self.top_p:g}")
        if self.max_tokens < 1:
            raise RecipeError("max_tokens is at least 1")


class CausalLM(hugging_face.CausalModel):
    """A causal language model of a folder, a GGUF file or the hub in single precision, for training and sampling."""

    def __init__(self, model: str, device: str = "cpu") -> None:
        try:
            import torch
            import transformers  # noqa: F401
        except ImportError:
            raise MissingExtra(f"the model {model!r}", "torch") from None
        # The bar that shows the unpacking of a GGUF file cannot be turned off otherwise.
        with quiet(), redirect_stderr(StringIO()):
            super().__init__(model, device)
        end = self._special("eos")
        if end is None:
            raise InputError(f"model {model!r} has no token that ends a text: name another causal language model")
        self.end = end
        self.network = _as_floats(self._model)
        self.tokenizer = self._tokenizer
        self.device = torch.device(device)

    def prompt(self, code: str) -> list[int]:
        """What stands before a record: the token that begins a text, and the control code."""
        return [self._start, *self.tokens(f"{code}{SEPARATOR}" if code else "")]

    def example(self, code: str, text: str, max_tokens: int) -> Example:
        """A record with its code in front, all of which is learned; cut where it is longer than ``max_tokens``."""
        ids = [*self.prompt(code), *self.tokens(text), self.end]
        limit = min(max_tokens, self.longest)
        return Example(tuple(ids[:limit]), is_cut=len(ids) > limit)

    def tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(replace_surrogates(text), add_special_tokens=False, verbose=False)["input_ids"])

    def losses(self, examples: Sequence[Example], batch: int = 16) -> Floats:
        """Nats of all learned tokens of each example, summed."""
        torch = self._torch
        values = []
        self.network.eval()
        with torch.inference_mode():
            for first in range(0, len(examples), batch):
                ids, learned = pad(examples[first : first + batch], self.end, self.device)
                values.append((token_losses(self.network(input_ids=ids, use_cache=False).logits, ids) * learned).sum(1))
        return np.concatenate([part.double().cpu().numpy() for part in values]) if values else np.zeros(0)

    def sample(
        self, prompts: Sequence[Sequence[int]], seeds: Sequence[Sequence[int]], options: SamplingOptions
    ) -> list[str]:
        """One new text after each prompt; its seed alone decides what is drawn for it."""
        torch = self._torch
        if longest := next((len(prompt) for prompt in prompts if len(prompt) + _ROOM > self.longest), None):
            raise InputError(
                f"a control code of {longest} tokens leaves no room in the model's context of {self.longest}: choose "
                "shorter columns as codes"
            )
        draws = [np.random.default_rng(list(seed)) for seed in seeds]
        width = max(map(len, prompts))
        ids = torch.tensor([[self.end] * (width - len(p)) + list(p) for p in prompts], device=self.device)
        mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=self.device)
        written: list[list[int]] = [[] for _ in prompts]
        going = np.ones(len(prompts), bool)
        past = None
        self.network.eval()
        with torch.inference_mode(), self.autocast():
            for _ in range(min(options.max_tokens, self.longest - width)):
                positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
                output = self.network(
                    input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=past, use_cache=True
                )
                past = output.past_key_values
                chosen = self._draw(output.logits[:, -1].float(), [draw.random() for draw in draws], options)
                for number, token in enumerate(chosen.tolist()):
                    going[number] &= token != self.end
                    if going[number]:
                        written[number].append(token)
                if not going.any():
                    break
                ids = chosen[:, None]
                mask = torch.cat([mask, torch.ones_like(ids)], 1)
        return [str(self.tokenizer.decode(tokens, skip_special_tokens=True)).strip() for tokens in written]

    def _draw(self, logits: Any, draws: Sequence[float], options: SamplingOptions) -> Any:
        torch = self._torch
        shares, order = (logits / options.temperature).softmax(1).sort(1, descending=True)
        kept = torch.where(shares.cumsum(1) - shares < options.top_p, shares, 0)
        sums = kept.cumsum(1)
        wanted = torch.tensor(draws, device=self.device, dtype=sums.dtype)[:, None] * sums[:, -1:]
        places = (sums <= wanted).sum(1).clamp(max=logits.shape[1] - 1)
        return order.gather(1, places[:, None])[:, 0]

    def autocast(self) -> Any:
        """Half precision for products on a GPU; weights stay in single precision."""
        return autocast(self.device)

    def save(self, folder: Path) -> None:
        """Weights, config and tokenizer as Hugging Face reads them, whole or not at all."""
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        with quiet():
            self.network.save_pretrained(part)
            self.tokenizer.save_pretrained(part)
        for file in part.iterdir():
            file.chmod(0o600)
            sync(file)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
        sync(folder.parent)


def _as_floats(network: Any) -> Any:
    """The network in single precision. One from a GGUF file has been unpacked, but is still marked as quantized."""
    import torch

    for name in ("is_quantized", "hf_quantizer", "quantization_method"):
        if name in vars(network):
            delattr(network, name)
    if hasattr(network.config, "quantization_config"):
        del network.config.quantization_config
    return torch.nn.Module.float(network)


def autocast(device: Any) -> Any:
    """Products in bfloat16 on a GPU; elsewhere as they are."""
    import torch

    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def pad(examples: Sequence[Example], filler: int, device: Any) -> tuple[Any, Any]:
    """Ids of examples, filled up at the end, and which of their tokens after the first are learned, as 0 and 1.

    Attention of a causal model never reaches the filling, so no mask is needed.
    """
    import torch

    width = max(2, *(len(example.ids) for example in examples))
    ids = [[*example.ids, *[filler] * (width - len(example.ids))] for example in examples]
    learned = [[float(example.first <= place < len(example.ids)) for place in range(1, width)] for example in examples]
    return torch.tensor(ids, device=device), torch.tensor(learned, device=device)


def token_losses(logits: Any, ids: Any) -> Any:
    """-ln p of each token after the first, given those before it; [..., token]."""
    scores = logits[..., :-1, :].float()
    targets = ids[..., 1:, None]
    return scores.logsumexp(-1) - scores.gather(-1, targets)[..., 0]


def batches(count: int, size: int) -> Iterator[range]:
    """Numbers from 0 to ``count`` in groups."""
    for first in range(0, count, size):
        yield range(first, min(count, first + size))
