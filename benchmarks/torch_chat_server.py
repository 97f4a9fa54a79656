"""A causal language model of Hugging Face behind OpenAI's chat completions, on loopback: for benchmarks on a GPU.

    python benchmarks/torch_chat_server.py MODEL [--device cuda] [--port 8080] [--batch 64]

MODEL is a folder of transformers, or a GGUF file (its weights are turned back into floats, so the figures are those of
the quantized model). Requests that wait are answered together in one batch; each keeps its own temperature, top_p, seed
and limit. Serves until it is stopped; ``--chat http://127.0.0.1:PORT/v1`` reaches it. ``chat_server.py`` serves GGUF
files by llama.cpp, which is the better choice without a GPU.
"""

from __future__ import annotations

import argparse
import json
import queue
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

HOST = "127.0.0.1"
GATHER_SECONDS = 0.05
"""How long the first request of a batch waits for others."""


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


class Generator:
    """The model, and the batches that it answers."""

    def __init__(self, model: Path, device: str, batch: int) -> None:
        import torch
        import transformers

        is_file = model.is_file()
        place, options = (model.parent, {"gguf_file": model.name}) if is_file else (model, {})
        dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(place, local_files_only=True, **options)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(place, local_files_only=True, dtype=dtype, **options)
        self.model = loaded.to(device).eval()
        self.torch, self.device, self.batch = torch, device, batch
        self.context = int(self.model.config.max_position_embeddings)
        ends = self.model.generation_config.eos_token_id
        self.ends = {self.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        for name in ("<|im_end|>", "<|eot_id|>"):
            if name in self.tokenizer.get_vocab():
                self.ends.add(self.tokenizer.convert_tokens_to_ids(name))
        self.jobs: queue.Queue[Job] = queue.Queue()

    def serve(self) -> None:
        """Answer what waits, batch by batch, for ever."""
        while True:
            jobs = [self.jobs.get()]
            limit = time.monotonic() + GATHER_SECONDS
            while len(jobs) < self.batch:
                try:
                    jobs.append(self.jobs.get(timeout=max(0.0, limit - time.monotonic())))
                except queue.Empty:
                    break
            try:
                self._generate(jobs)
            except RuntimeError as error:  # out of memory, say: the others of the server go on
                for job in jobs:
                    job.failure = f"the model failed ({type(error).__name__})"
            for job in jobs:
                job.done.set()

    def _generate(self, jobs: list[Job]) -> None:
        torch = self.torch
        longest = max(len(job.ids) for job in jobs)
        pad = self.tokenizer.pad_token_id if self.tokenizer.pad_token_id is not None else next(iter(self.ends))
        ids = torch.tensor([[pad] * (longest - len(job.ids)) + job.ids for job in jobs], device=self.device)
        mask = torch.tensor([[0] * (longest - len(job.ids)) + [1] * len(job.ids) for job in jobs], device=self.device)
        draws = [np.random.default_rng(job.seed) for job in jobs]
        going = [True] * len(jobs)
        past = None
        with torch.inference_mode():
            while any(going):
                positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
                output = self.model(
                    input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=past, use_cache=True
                )
                past = output.past_key_values
                scores = output.logits[:, -1].float()
                chosen = self._choose(scores, jobs, [draw.random() for draw in draws])
                self._note_logprobs(scores, jobs, going)
                for number, (job, token) in enumerate(zip(jobs, chosen.tolist(), strict=True)):
                    if not going[number]:
                        continue
                    if token in self.ends:
                        going[number] = False
                        continue
                    job.written.append(token)
                    if len(job.written) >= job.most or len(job.ids) + len(job.written) >= self.context:
                        going[number], job.cut = False, True
                ids = chosen[:, None]
                mask = torch.cat([mask, torch.ones_like(ids)], 1)

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

    def _note_logprobs(self, scores: Any, jobs: list[Job], going: list[bool]) -> None:
        most = max(job.top_logprobs for job in jobs)
        if not most:
            return
        values, tokens = scores.log_softmax(1).topk(most, 1)
        for number, job in enumerate(jobs):
            if job.top_logprobs and going[number]:
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
    given = parser.parse_args()
    generator = Generator(given.model, given.device, given.batch)
    threading.Thread(target=generator.serve, daemon=True).start()
    server = ThreadingHTTPServer((HOST, given.port), handler(generator, given.model.stem))
    print(f"http://{HOST}:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
