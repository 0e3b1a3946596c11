"""A character map as a "precompiled" normalizer of the tokenizers library.

Four thousand `Replace` normalizers would be slow; the library's `Precompiled` normalizer looks a whole
table up in one pass.  Its format is SentencePiece's: the size of a double-array trie in bytes (uint32), the
trie's units (uint32 each, layout of darts-clone), then the replacements, each closed by a zero byte.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

Trie = dict[int, "Trie | int"]


def nested(table: Mapping[bytes, int]) -> Trie:
    """A trie of dictionaries, byte by byte; the value of a key stands under the byte 0 that closes it."""
    root: Trie = {}
    for key, value in table.items():
        node = root
        for byte in key:
            child = node.setdefault(byte, {})
            assert isinstance(child, dict)
            node = child
        node[0] = value
    return root


def double_array(root: Trie) -> list[int]:
    """The units of a double-array trie.

    A node at index i with offset o has its child under byte c at i ^ o ^ c.  A unit holds the child's label
    in its low 8 bits, "has a value" in bit 8, the offset from bit 10 (bit 9: times 256); a value's unit has
    bit 31 set and the value in the rest.
    """
    units = [0] * 256
    taken = {0}
    bases: set[int] = set()  # two nodes on one base would find each other's children
    start = 1

    def place(node: Trie, index: int) -> None:
        nonlocal start
        base = start
        while base in bases or any((base ^ byte) in taken for byte in node):
            base += 1
        if base ^ index >= 1 << 21:
            raise ValueError("The character map is too large for this simple double array.")
        start = base + 1 if len(node) > 32 else start  # full nodes leave little room before them
        bases.add(base)
        units.extend([0] * ((base | 0xFF) + 1 - len(units)))
        taken.update(base ^ byte for byte in node)
        units[index] |= (base ^ index) << 10 | (256 if 0 in node else 0)
        for byte, child in node.items():
            if isinstance(child, int):
                units[base ^ byte] = child | 1 << 31
            else:
                units[base ^ byte] |= byte
        for byte, child in node.items():
            if isinstance(child, dict):
                place(child, base ^ byte)

    place(root, 0)
    return units


def precompiled(table: Mapping[str, str]) -> bytes:
    """The bytes for `tokenizers.normalizers.Precompiled` that replace every key by its value."""
    blob = bytearray()
    places: dict[bytes, int] = {}
    for key, value in table.items():
        places[key.encode()] = len(blob)
        blob += value.encode() + b"\0"
    units = double_array(nested(places))
    return struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + bytes(blob)
