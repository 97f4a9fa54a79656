"""A causal language model of Hugging Face behind OpenAI's chat completions, on loopback: for benchmarks on a GPU.

    python benchmarks/torch_chat_server.py MODEL [--device cuda] [--port 8080] [--batch 64] [--longest 4096]

MODEL is a folder of transformers, or a GGUF file (its weights are turned back into floats, so the figures are those of
the quantized model). Requests are answered side by side, up to ``--batch`` of them; each keeps its own temperature,
top_p, seed and limit, and ``--longest`` limits all. Serves until it is stopped; ``--chat http://127.0.0.1:PORT/v1``
reaches it. ``chat_server.py`` serves GGUF files by llama.cpp, which is the better choice without a GPU.
"""

from __future__ import annotations

import argparse
import json
import queue
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HOST = "127.0.0.1"
LONGEST = 4096
"""Tokens of an answer, whatever a request allows."""


@dataclass
class Job:
    """One request and, once ``done`` is set, its reply."""

    ids: list[int]
    temperature: float
    top_p: float
    seed: int | None
    most: int
    top_logprobs: int
    done: threading.Event = field(default_factory=threading.Event)
    written: list[int] = field(default_factory=list)
    logprobs: list[list[tuple[int, float]]] = field(default_factory=list)
    cut: bool = False
    failure: str | None = None

    def __post_init__(self) -> None:
        self.draws = np.random.default_rng(self.seed)


class State(NamedTuple):
    """What the model has read of the requests under way, a row each."""

    cache: Any
    """Keys and values of every layer, padded on the left."""
    mask: Any
    last: Any
    """The last token of each request, which is not read yet."""


class Generator:
    """The model, and the requests that it answers side by side."""

    def __init__(self, model: Path, device: str, batch: int, longest: int = LONGEST) -> None:
        import torch
        import transformers

        is_file = model.is_file()
        place, options = (model.parent, {"gguf_file": model.name}) if is_file else (model, {})
        dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(place, local_files_only=True, **options)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(place, local_files_only=True, dtype=dtype, **options)
        self.model = loaded.to(device).eval()
        self.torch, self.device, self.batch, self.longest = torch, device, batch, longest
        self.context = int(self.model.config.max_position_embeddings)
        ends = self.model.generation_config.eos_token_id
        self.ends = {self.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        for name in ("<|im_end|>", "<|eot_id|>"):
            if name in self.tokenizer.get_vocab():
                self.ends.add(self.tokenizer.convert_tokens_to_ids(name))
        self.jobs: queue.Queue[Job] = queue.Queue()

    def serve(self) -> None:
        """Answer requests for ever: new ones join those under way, and each is answered as soon as it has ended."""
        jobs: list[Job] = []
        state: State | None = None
        while True:
            new = self._take(self.batch - len(jobs), wait=not jobs)
            jobs = jobs + new
            try:
                if new:
                    state = self._join(state, self._read(new))
                assert state is not None
                jobs, state = self._write(jobs, state)
            except RuntimeError as error:  # out of memory, say: the server goes on with the next requests
                for job in jobs:
                    job.failure = f"the model failed ({type(error).__name__})"
                    job.done.set()
                jobs, state = [], None

    def _take(self, most: int, *, wait: bool) -> list[Job]:
        """Requests that wait for a place; with ``wait`` at least one."""
        jobs: list[Job] = []
        while len(jobs) < most:
            try:
                jobs.append(self.jobs.get(block=wait and not jobs))
            except queue.Empty:
                break
        return jobs

    def _read(self, jobs: list[Job]) -> State:
        """What the model makes of new requests, up to their last tokens."""
        torch = self.torch
        longest = max(len(job.ids) for job in jobs) - 1
        pad = self.tokenizer.pad_token_id if self.tokenizer.pad_token_id is not None else next(iter(self.ends))
        missing = [longest + 1 - len(job.ids) for job in jobs]
        ids = [[pad] * count + job.ids for count, job in zip(missing, jobs, strict=True)]
        tokens = torch.tensor(ids, device=self.device)
        mask = torch.tensor([[0] * count + [1] * (longest - count) for count in missing], device=self.device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        with torch.inference_mode():
            output = self.model.model(
                input_ids=tokens[:, :-1], attention_mask=mask, position_ids=positions, use_cache=True
            )
        return State(output.past_key_values, mask, tokens[:, -1:])

    def _join(self, old: State | None, new: State) -> State:
        """Requests under way and new ones as one batch, padded on the left to one length."""
        if old is None:
            return new
        torch = self.torch
        length = max(old.mask.shape[1], new.mask.shape[1])

        def padded(part: Any, mask: Any) -> Any:
            return torch.nn.functional.pad(part, (0, 0, length - mask.shape[1], 0))

        with torch.inference_mode():
            for layer, added in zip(old.cache.layers, new.cache.layers, strict=True):
                layer.keys = torch.cat([padded(layer.keys, old.mask), padded(added.keys, new.mask)])
                layer.values = torch.cat([padded(layer.values, old.mask), padded(added.values, new.mask)])
            masks = [torch.nn.functional.pad(state.mask, (length - state.mask.shape[1], 0)) for state in (old, new)]
            return State(old.cache, torch.cat(masks), torch.cat([old.last, new.last]))

    def _write(self, jobs: list[Job], state: State) -> tuple[list[Job], State | None]:
        """One more token for each request; the requests that go on."""
        torch = self.torch
        mask = torch.cat([state.mask, torch.ones_like(state.last)], 1)
        with torch.inference_mode():
            output = self.model(
                input_ids=state.last,
                attention_mask=mask,
                position_ids=mask.sum(1, keepdim=True) - 1,
                past_key_values=state.cache,
                use_cache=True,
            )
            scores = output.logits[:, -1].float()
            chosen = self._choose(scores, jobs, [job.draws.random() for job in jobs])
            self._note_logprobs(scores, jobs)
        going = [
            row for row, (job, token) in enumerate(zip(jobs, chosen.tolist(), strict=True)) if self._goes_on(job, token)
        ]
        if not going:
            return [], None
        if len(going) == len(jobs):
            return jobs, State(state.cache, mask, chosen[:, None])
        rows = torch.tensor(going, device=self.device)
        with torch.inference_mode():
            length = int(mask[rows].sum(1).max())
            for layer in state.cache.layers:
                layer.keys = layer.keys[rows, :, -length:].contiguous()
                layer.values = layer.values[rows, :, -length:].contiguous()
            return [jobs[row] for row in going], State(state.cache, mask[rows, -length:], chosen[rows, None])

    def _goes_on(self, job: Job, token: int) -> bool:
        """Note a token of a request; whether more follow. One that has ended is answered."""
        if token in self.ends:
            job.done.set()
            return False
        job.written.append(token)
        job.cut = len(job.written) >= min(job.most, self.longest) or len(job.ids) + len(job.written) >= self.context
        if job.cut:
            job.done.set()
        return not job.cut

    def _choose(self, scores: Any, jobs: list[Job], draws: list[float]) -> Any:
        """The likeliest token at temperature 0, else one drawn from the likeliest that make up ``top_p``."""
        torch = self.torch
        heat = torch.tensor([job.temperature for job in jobs], device=self.device)
        if not bool((heat > 0).any()):
            return scores.argmax(1)
        shares, order = (scores / heat.clamp(min=1e-6)[:, None]).softmax(1).sort(1, descending=True)
        before = shares.cumsum(1) - shares
        top = torch.tensor([job.top_p for job in jobs], device=self.device)
        kept = torch.where(before < top[:, None], shares, 0)
        sums = kept.cumsum(1)
        wanted = torch.tensor(draws, device=self.device, dtype=sums.dtype)[:, None] * sums[:, -1:]
        places = (sums <= wanted).sum(1).clamp(max=scores.shape[1] - 1)
        drawn = order.gather(1, places[:, None])[:, 0]
        return torch.where(heat > 0, drawn, scores.argmax(1))

    def _note_logprobs(self, scores: Any, jobs: list[Job]) -> None:
        most = max(job.top_logprobs for job in jobs)
        if not most:
            return
        values, tokens = scores.log_softmax(1).topk(most, 1)
        for number, job in enumerate(jobs):
            if job.top_logprobs:
                rows = zip(tokens[number].tolist(), values[number].tolist(), strict=True)
                job.logprobs.append(list(rows)[: job.top_logprobs])

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The reply to a request, with its HTTP status."""
        if "response_format" in body:
            return 400, {"error": {"message": "response_format is not supported"}}
        text = self.tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) >= self.context:
            return 400, {"error": {"message": "the request exceeds the maximum context length"}}
        job = Job(
            ids=ids,
            temperature=float(body.get("temperature", 1.0)),
            top_p=float(body.get("top_p", 1.0)),
            seed=body.get("seed"),
            most=int(body.get("max_tokens") or 512),
            top_logprobs=int(body.get("top_logprobs", 0)) if body.get("logprobs") else 0,
        )
        self.jobs.put(job)
        job.done.wait()
        if job.failure:
            return 500, {"error": {"message": job.failure}}
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": self.tokenizer.decode(job.written, skip_special_tokens=True)},
            "finish_reason": "length" if job.cut else "stop",
        }
        if job.top_logprobs:
            choice["logprobs"] = {"content": [self._logprob_row(row) for row in job.logprobs]}
        usage = {"prompt_tokens": len(ids), "completion_tokens": len(job.written)}
        return 200, {"object": "chat.completion", "choices": [choice], "usage": usage}

    def _logprob_row(self, row: list[tuple[int, float]]) -> dict[str, Any]:
        tokens = [{"token": self.tokenizer.decode([token]), "logprob": value} for token, value in row]
        return {**tokens[0], "top_logprobs": tokens}


def handler(generator: Generator, name: str) -> type[BaseHTTPRequestHandler]:
    """The class that answers requests, for one model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": name, "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*generator.answer(body))

        def _send(self, status: int, value: dict[str, Any]) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a request holds text."""

    return Handler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--longest", type=int, default=LONGEST, help="tokens of an answer at most")
    given = parser.parse_args()
    generator = Generator(given.model, given.device, given.batch, given.longest)
    threading.Thread(target=generator.serve, daemon=True).start()
    server = ThreadingHTTPServer((HOST, given.port), handler(generator, given.model.stem))
    print(f"http://{HOST}:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
