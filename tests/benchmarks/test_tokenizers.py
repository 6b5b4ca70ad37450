from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers

from benchmarks.errors import InvalidAsset
from benchmarks.tokenizers import Cut, TokenizerFile, load_tokenizer
from tests.conformance.packages import CL100K, DEEPSEEK, fetched, smollm2

_VISIBLE = st.text(st.characters(exclude_categories=("Z", "C", "M")), min_size=1, max_size=8)


def _path(name: str) -> Path:
    return smollm2() if name == "smollm2" else fetched({"cl100k": CL100K, "deepseek": DEEPSEEK}[name])


def _tokenizer(name: str) -> TokenizerFile:
    return load_tokenizer(_path(name))


@pytest.fixture(scope="module", params=["cl100k", "deepseek", "smollm2"])
def tokenizer(request: pytest.FixtureRequest) -> TokenizerFile:
    return _tokenizer(request.param)


def test_identity_is_the_sha256_of_the_file() -> None:
    path = fetched(DEEPSEEK)
    assert load_tokenizer(path).identity == hashlib.sha256(path.read_bytes()).hexdigest() == DEEPSEEK.sha256


@pytest.mark.parametrize("name", ["cl100k", "deepseek", "smollm2"])
def test_counts_are_those_of_the_library_without_special_tokens(name: str) -> None:
    tokenizer, library = _tokenizer(name), Tokenizer.from_file(str(_path(name)))
    for text in ("", "Hello  world.\n\n 1234567", "æøå 🙂 <|endoftext|> it's", "a" * 5000):
        assert tokenizer.count(text) == len(library.encode(text, add_special_tokens=False).ids)


def test_truncation_and_padding_of_the_file_do_not_change_counts(tmp_path: Path) -> None:
    content = json.loads(fetched(DEEPSEEK).read_bytes())
    content["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    content["padding"] = {"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                          "pad_type_id": 0, "pad_token": "x"}  # fmt: skip
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    text = "The grass is green. The sky is blue."
    assert load_tokenizer(tmp_path / "tokenizer.json").count(text) == _tokenizer("deepseek").count(text)


def test_several_threads_may_count_at_once(tokenizer: TokenizerFile) -> None:
    texts = [f"The grass is green. The sky is {n}. " * 50 for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tokenizer.count, texts)) == [tokenizer.count(text) for text in texts]


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b'{"model": {"type": "BPE"}}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(InvalidAsset, match="tokenizer"):
        load_tokenizer(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidAsset, match=r"absent\.json"):
        load_tokenizer(tmp_path / "absent.json")


def test_byte_level_tokenizers_add_up_at_all_cuts(tokenizer: TokenizerFile) -> None:
    assert all(tokenizer.additions[cut].anchor is not None for cut in Cut)


@settings(max_examples=60, deadline=None)
@given(st.lists(_VISIBLE, min_size=1, max_size=8))
def test_counts_of_words_after_spaces_add_up_to_the_count_of_the_text(words: list[str]) -> None:
    for name in ("cl100k", "deepseek", "smollm2"):
        tokenizer = _cached(name)
        pieces = [words[0], *(" " + word for word in words[1:])]
        assert sum(tokenizer.count_each(pieces)) == tokenizer.count("".join(pieces)), name


@settings(max_examples=60, deadline=None)
@given(st.lists(_VISIBLE, min_size=1, max_size=8))
def test_counts_of_lines_add_up_to_the_count_of_the_text(lines: list[str]) -> None:
    for name in ("cl100k", "deepseek", "smollm2"):
        tokenizer = _cached(name)
        pieces = [line + "\n" for line in lines]
        assert sum(tokenizer.count_each(pieces)) == tokenizer.count("".join(pieces)), name


def test_a_tokenizer_that_puts_a_space_first_adds_up_behind_an_anchor() -> None:
    tokenizer = _sentencepiece()
    assert tokenizer.additions[Cut.SPACE].anchor not in (None, "")


@pytest.mark.parametrize(
    ("token", "cut"),
    [
        ("d▁", Cut.SPACE),
        ("z▁q", Cut.SPACE),
        ("\nq", Cut.LINE),
        ("\nq", Cut.BLANK),
        ("z-", Cut.HYPHEN),
        ("z-q", Cut.HYPHEN),
    ],
)
def test_a_tokenizer_with_a_token_across_a_cut_does_not_add_up_there_whatever_its_letters_are(
    token: str, cut: Cut
) -> None:
    assert _sentencepiece(token).additions[cut].anchor is None


_LOADED: dict[str, TokenizerFile] = {}


def _cached(name: str) -> TokenizerFile:
    if name not in _LOADED:
        _LOADED[name] = _tokenizer(name)
    return _LOADED[name]


def _sentencepiece(token: str = "") -> TokenizerFile:
    """Llama 2's shape: a space before the text, no splitting, bytes for what is unknown; and one token more."""
    letters = ["<unk>", "▁", *(f"<0x{byte:02X}>" for byte in range(256)), *"abcdefghijklmnopqrstuvwxyz-\n", "▁w", "or"]
    merges = [("▁", "w"), ("o", "r")]
    for end in range(2, len(token) + 1):
        letters.append(token[:end])
        merges.append((token[: end - 1], token[end - 1]))
    model = models.BPE(
        {t: i for i, t in enumerate(letters)}, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return TokenizerFile(tokenizer.to_str().encode())
