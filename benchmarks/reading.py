"""Reading: processor seconds and memory for 20 MB of each format, beside another version of the code.

    python -m benchmarks.reading [--before CHECKOUT] [--megabytes 20] [--only FORMAT ...] [--write]

Each file is read in a process of its own.  For Word files and workbooks the megabytes are those of the XML in them,
for PDFs those of the text on at most 2,000 pages.  ``--before`` names a checkout with the code to compare with.
``--write`` puts the table into benchmarks/results.  Ends with status 1 if a format takes more than its `MOST` times
as long as before, or more than the 60 seconds that an upload has.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks import common

HEADING = "Reading: 20 MB of each format"
SECONDS = 60
MOST: Mapping[str, float] = {"md": 10, "docx": 4}
"""How many times as long a format may take as before; 2 if it is not named.  Markdown was lines cut at signs, Word was
paragraphs without what wraps them; libraries that know all of the formats read them now."""
WORKER = """
import json, resource, sys, time
from lab.reading.read import read_file
name, path = sys.argv[1:]
data = open(path, "rb").read()
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
read = read_file(name, data)
seconds, peak = time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([seconds, (peak - before) / 1024, len(read), sum(len(d.text) for d in read)]))
"""
_ENGLISH = """the keeper lights a lamp at dusk and writes into the log which ferry came late because of fog"""
_CHINESE = """员工 请假 应 提前 三天 向 主管 提出 申请 经 批准 后 生效 设备 每月 检查 一次"""
_LATIN, _WORDS = _ENGLISH.split(), [*_ENGLISH.split(), *_CHINESE.split()]


def sentence(rng: random.Random) -> str:
    """A sentence of words in both languages."""
    return " ".join(rng.choices(_WORDS, k=rng.randint(8, 20))) + rng.choice([". ", "。"])


def paragraph(rng: random.Random) -> str:
    """Four sentences."""
    return "".join(sentence(rng) for _ in range(4)).strip()


def filled(size: int, part: Callable[[random.Random, int], str]) -> str:
    """Parts, one after the other, until they have this many bytes."""
    rng, parts, length = random.Random(1), list[str](), 0
    while length < size:
        parts.append(part(rng, len(parts)))
        length += len(parts[-1].encode())
    return "".join(parts)


def txt(size: int) -> bytes:
    return filled(size, lambda rng, _: paragraph(rng) + "\n\n").encode()


def md(size: int) -> bytes:
    def part(rng: random.Random, i: int) -> str:
        link = f"See [the log](https://example.org/{i}) and **lamp** `code`.\n\n" if i % 3 == 0 else ""
        table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n" if i % 10 == 0 else ""
        return f"## Section {i}\n\n{paragraph(rng)}\n\n{link}{paragraph(rng)}\n\n{table}"

    return filled(size, part).encode()


def html(size: int) -> bytes:
    def part(rng: random.Random, i: int) -> str:
        table = "<table><tr><td>a</td><td>b</td></tr></table>" if i % 10 == 0 else ""
        return f"<h2>Section {i}</h2><p>{paragraph(rng)}</p><p><a href='x'>{sentence(rng)}</a></p>{table}\n"

    return f"<html><title>Log</title><body>{filled(size, part)}</body></html>".encode()


def as_csv(size: int) -> bytes:
    def part(rng: random.Random, i: int) -> str:
        out = io.StringIO()
        csv.writer(out).writerow([i, sentence(rng), paragraph(rng), rng.randint(1, 99)])
        return out.getvalue()

    return ("id,title,text,number\n" + filled(size, part)).encode()


def jsonl(size: int) -> bytes:
    def part(rng: random.Random, i: int) -> str:
        return json.dumps({"id": i, "text": paragraph(rng), "n": rng.randint(1, 99)}, ensure_ascii=False) + "\n"

    return filled(size, part).encode()


def as_json(size: int) -> bytes:
    return b"[" + jsonl(size).replace(b"\n", b",\n").rstrip(b",\n") + b"]"


def corpus(size: int) -> bytes:
    return jsonl(size).replace(b'{"id": ', b'{"_id": ').replace(b', "n": ', b', "metadata": {}, "n": ')


def xlsx(size: int) -> bytes:
    import openpyxl

    rng, book, length = random.Random(1), openpyxl.Workbook(write_only=True), 0
    sheet = book.create_sheet("S")
    sheet.append(["id", "text", "number"])
    while length < size:
        text = sentence(rng)
        sheet.append([length, text, rng.randint(1, 99)])
        length += len(text.encode()) + 120
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def docx(size: int) -> bytes:
    def part(rng: random.Random, i: int) -> str:
        style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' if i % 8 == 0 else ""
        text = f"Section {i}" if style else paragraph(rng)
        return f'<w:p w:rsidR="00A{i % 999}">{style}<w:r><w:rPr><w:sz w:val="21"/></w:rPr><w:t>{text}</w:t></w:r></w:p>'

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{kind}" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {space}><w:body>{filled(size, part)}</w:body></w:document>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def pdf(size: int) -> bytes:
    """Pages of latin text, each of some 4 kB."""
    rng = random.Random(1)
    texts, length = list[bytes](), 0
    while length < size and len(texts) < 2000:
        lines = [" ".join(rng.choices(_LATIN, k=14)) for _ in range(50)]
        stream = "BT /F1 9 Tf 50 780 Td " + "".join(f"({line}) Tj 0 -14 Td " for line in lines) + "ET"
        texts.append(stream.encode())
        length += len(texts[-1])
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in texts:
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(text), text))
        kids.append(len(objects) + 1)
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
        objects.append(page % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(b"%d 0 R" % k for k in kids))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % number + body + b"endobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(
        b"%010d 00000 n \n" % at for at in places
    )
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


FORMATS: Mapping[str, tuple[str, Callable[[int], bytes]]] = {
    "txt": ("a.txt", txt),
    "md": ("a.md", md),
    "html": ("a.html", html),
    "pdf": ("a.pdf", pdf),
    "docx": ("a.docx", docx),
    "xlsx": ("a.xlsx", xlsx),
    "csv": ("a.csv", as_csv),
    "json": ("a.json", as_json),
    "jsonl": ("a.jsonl", jsonl),
    "corpus.jsonl": ("corpus.jsonl", corpus),
}


def measured(name: str, path: Path, checkout: Path) -> list[Any]:
    """Seconds, megabytes, documents and characters, read by the code of this checkout."""
    here = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", WORKER, name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=here, cwd=checkout, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    found: list[Any] = json.loads(done.stdout)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--only", nargs="*", choices=list(FORMATS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    columns = ["format", "documents", "s", "MB"]
    columns += ["s before", "MB before", "s / before", "MB / before"] if options.before else []
    rows, missed = [f"| {' | '.join(columns)} |", "|---" + "|--:" * (len(columns) - 1) + "|"], list[str]()
    for kind, (name, make) in FORMATS.items():
        if options.only and kind not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(make(int(options.megabytes * 1e6)))
            seconds, megabytes, documents, _ = measured(name, path, Path(__file__).parents[1])
            cells = [kind, f"{documents:,}", f"{seconds:.1f}", f"{megabytes:.0f}"]
            if options.before:
                old_seconds, old_megabytes, *_ = measured(name, path, options.before)
                cells += [f"{old_seconds:.1f}", f"{old_megabytes:.0f}"]
                cells += [f"{seconds / old_seconds:.2f}", f"{megabytes / max(1, old_megabytes):.2f}"]
                if seconds > MOST.get(kind, 2) * old_seconds:
                    missed.append(kind)
        if seconds > SECONDS:
            missed.append(kind)
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    if options.write:
        told = f"Measured on {common.machine()}; processor seconds, and megabytes in addition to the file."
        common.write(
            HEADING,
            "\n".join(
                [told, "", "    python -m benchmarks.reading" + " --before CHECKOUT" * bool(options.before), "", *rows]
            ),
        )
    print("missed: " + ", ".join(missed) if missed else "All promises hold.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
