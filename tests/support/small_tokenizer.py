"""A real byte-level BPE tokenizer that needs no download: trained on this repository's own pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

ROOT = Path(__file__).parents[2]


@cache
def small_tokenizer() -> Tokenizer:
    """2,000 tokens, GPT-2's splitting."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train([str(path) for path in (ROOT / "LICENSE", ROOT / "README.md")], trainer)
    return tokenizer


def write_small_tokenizer(folder: Path) -> Path:
    """Its `tokenizer.json`."""
    path = folder / "tokenizer.json"
    small_tokenizer().save(str(path))
    return path


def count(text: str) -> int:
    return len(small_tokenizer().encode(text, add_special_tokens=False))
