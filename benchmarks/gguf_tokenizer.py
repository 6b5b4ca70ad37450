"""A `tokenizer.json` from the tokenizer inside a GGUF model file (optional package `gguf`).

Covers byte-level BPE (`tokenizer.ggml.model = gpt2`) with the pre-tokenizers named below; the splitting follows
llama.cpp's `llama_vocab` for the same name, so counts equal those of its server.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from benchmarks.errors import InvalidAsset

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_LLAMA3 = (
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_PATTERNS = {
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "qwen2": _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}"),
    "gpt-2": _GPT2,
    "default": _GPT2,
}
_DIGITS_FIRST = {"smollm", "starcoder", "refact", "command-r", "codeshell"}
_CONTROL, _USER_DEFINED = 3, 4  # llama.cpp's token types


def write_tokenizer_json(gguf: Path, out: Path) -> None:
    """Write the tokenizer of a GGUF file as a `tokenizer.json`.

    Raises InvalidAsset when the file can't be read or holds another kind of tokenizer, and ImportError without the
    package `gguf`.
    """
    fields = _fields(gguf)
    kind, pre = fields["model"], fields.get("pre", "default")
    if kind != "gpt2" or (pre not in _PATTERNS and pre not in _DIGITS_FIRST):
        known = ", ".join(sorted({*_PATTERNS, *_DIGITS_FIRST}))
        raise InvalidAsset("tokenizer", f"{gguf.name} has a {kind!r} tokenizer with pre-tokenizer {pre!r}; "
                           f"only 'gpt2' with one of {known} can be converted")  # fmt: skip
    tokens = fields["tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in fields["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = _pre_tokenizer(pre)
    tokenizer.decoder = decoders.ByteLevel()
    marked = [t for t, y in zip(tokens, fields["token_type"], strict=True) if y in (_CONTROL, _USER_DEFINED)]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in marked])
    tokenizer.save(str(out))


def _pre_tokenizer(pre: str) -> Any:
    if pre in _DIGITS_FIRST:
        first = pre_tokenizers.Digits(individual_digits=True)
        return pre_tokenizers.Sequence([first, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    split = pre_tokenizers.Split(Regex(_PATTERNS[pre]), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _fields(path: Path) -> dict[str, Any]:
    import gguf

    try:
        reader = gguf.GGUFReader(str(path))
    except (OSError, ValueError) as error:
        raise InvalidAsset("tokenizer", f"can't read {path} as GGUF: {error}") from error
    prefix = "tokenizer.ggml."
    wanted = ("model", "pre", "tokens", "merges", "token_type")
    found = {name: reader.fields[prefix + name].contents() for name in wanted if prefix + name in reader.fields}
    missing = [name for name in ("model", "tokens") if name not in found]
    if missing:
        raise InvalidAsset("tokenizer", f"{path.name} holds no {prefix}{missing[0]}")
    return {"merges": [], "token_type": [0] * len(found["tokens"]), **found}
