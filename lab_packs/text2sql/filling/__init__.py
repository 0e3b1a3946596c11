"""The pass over the spans of a question that fills its slots, kind by kind: `fill`."""

from lab_packs.text2sql.filling.filler import fill

__all__ = ["fill"]
