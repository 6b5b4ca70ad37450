from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.errors import InvalidAsset
from benchmarks.gguf_tokenizer import write_tokenizer_json
from benchmarks.tokenizers import load_tokenizer
from tests.conformance.packages import smollm2

gguf = pytest.importorskip("gguf", reason="the optional package gguf is not installed")

# Bytes as GPT-2 writes them: a space is Ġ, a newline Ċ.
TOKENS = ["<|end|>", "h", "e", "l", "o", "Ġ", "Ċ", "1", "2", "he", "ll", "hell", "hello", "Ġhello"]
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ hello"]


def _gguf(path: Path, model: str = "gpt2", pre: str = "smollm") -> Path:
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_merges(MERGES)
    writer.add_token_types([3] + [1] * (len(TOKENS) - 1))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_merges_special_tokens_and_single_digits_come_over(tmp_path: Path) -> None:
    write_tokenizer_json(_gguf(tmp_path / "model.gguf"), tmp_path / "tokenizer.json")
    tokenizer = load_tokenizer(tmp_path / "tokenizer.json")
    assert tokenizer.count("hello hello") == 2
    assert tokenizer.count("hello 12") == 4
    assert tokenizer.count("hello<|end|>hello\n") == 4


@pytest.mark.parametrize(("model", "pre"), [("llama", "default"), ("gpt2", "some-new-one")])
def test_a_tokenizer_that_can_not_be_converted_is_named(tmp_path: Path, model: str, pre: str) -> None:
    with pytest.raises(InvalidAsset, match=f"{model}.*{pre}"):
        write_tokenizer_json(_gguf(tmp_path / "model.gguf", model, pre), tmp_path / "tokenizer.json")


def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"not a model at all")
    with pytest.raises(InvalidAsset, match="GGUF"):
        write_tokenizer_json(tmp_path / "model.gguf", tmp_path / "tokenizer.json")


@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed (extra `demo`)")
def test_smollm2_has_its_known_vocabulary() -> None:
    assert len(load_tokenizer(smollm2())._tokenizer.get_vocab()) == 49152
