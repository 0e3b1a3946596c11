"""Plain text: one document, or its sections if it is too long for one."""

from __future__ import annotations

from lab.reading.format import Format
from lab.reading.sections import add_sections, document_name, titled
from lab.reading.uploads import Reading


def read_txt(reading: Reading, data: bytes) -> None:
    """Adds the whole file as one document; its paragraphs and headings are the chunker's business.

    A text that is too long for one document is split at its headings: no border is inside a chapter that fits.
    """
    text, name = reading.decode(data), document_name(reading)
    add_sections(reading, [(name, text)] if len(text) <= reading.limits.max_chars else titled(text, name))


FORMATS = (Format("txt", ("txt", "text"), lambda r, d, _: read_txt(r, d)),)
