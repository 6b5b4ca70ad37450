"""llama.cpp's own HTTP server on a GGUF file, from the `xllamacpp` wheel.

    python -m fathom.demo.llm_server MODEL.gguf --alias smollm2 --port 8077 --parallel 2 --context 16384

Prints `READY http://127.0.0.1:8077`; SIGTERM or Ctrl-C stops it at once.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

# Before the import: OpenMP threads that spin while they wait slow a busy two-core machine down several times.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import click
import xllamacpp

from fathom.children import hold_lifeline


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--alias", default="model", show_default=True, help="The model's id.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=int, default=0, show_default=True, help="0 takes any free one.")
@click.option("--parallel", type=int, default=2, show_default=True, help="Prompts worked on at once.")
@click.option("--context", type=int, default=16384, show_default=True, help="Tokens, shared out among them.")
@click.option("--threads", type=int, default=os.cpu_count() or 2, show_default=True)
def main(model: Path, alias: str, host: str, port: int, parallel: int, context: int, threads: int) -> None:
    """Serve a GGUF model on CPU with an OpenAI-compatible API."""
    hold_lifeline()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server = xllamacpp.Server(parameters(model, alias, host, port, parallel, context, threads))
    print(f"READY {server.listening_address}", flush=True)
    stop.wait()
    os._exit(0)  # the server's own threads would be waited for otherwise


def parameters(
    model: Path, alias: str, host: str, port: int, parallel: int, context: int, threads: int
) -> xllamacpp.CommonParams:
    """The server's settings. 64 HTTP threads, so that a health check never waits behind prompts in flight."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.model_alias = {alias}
    settings.hostnames, settings.port = [host], port
    settings.n_ctx, settings.n_parallel = context, parallel
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.n_threads_http = 64
    settings.endpoint_metrics = settings.endpoint_slots = settings.endpoint_props = True
    settings.cache_prompt, settings.cache_ram_mib = True, 512
    settings.fit_params = settings.ui = settings.ctx_shift = False
    settings.verbosity = 1
    return settings


if __name__ == "__main__":
    main()
