"""Documents that are broken, or would be markup: the good ones beside them are used, and none is ever run."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect, unharmed
from night import NIGHT, sample

pytestmark = pytest.mark.browser


def table(rows: list[dict[str, str]]) -> bytes:
    """Rows as a CSV file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


NOTES = table(
    [
        {
            "title": "Kiln opening hours",
            "text": "The kiln in the cellar fires on Tuesdays; glaze must be dry by noon.",
            "room": "cellar",
        },
        {"title": "窑炉的开放时间", "text": "地下室的窑炉每周二点火，釉要在中午以前晾干。", "room": "地下室"},
        {
            "title": "Clay orders",
            "text": "White clay is ordered on the first of the month, at least four bags.",
            "room": "store",
        },
        {"title": "陶泥订购", "text": "白陶泥每月一号统一订购，至少四袋。", "room": "仓库"},
        {"title": "Wheel care", "text": "Wipe the wheel after use and empty the splash pan.", "room": "studio"},
    ]
)


SHOWN = ["tokenizer", "fusion", "mmr", "filter", "compress", "vocabulary"]
"""Pages that show texts in ways of their own."""


@pytest.mark.nightly
def test_a_broken_file_is_explained_and_the_good_one_beside_it_can_be_used(visit: Callable[..., Visitor]):
    import docx

    whole = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("This letter arrives torn.")
    document.save(whole)
    me = visit().open("corpus")
    me.upload(
        {
            "letter.docx": whole.getvalue()[: len(whole.getvalue()) // 2],
            "good.txt": "A pelican sleeps on the pier.\n\n鹈鹕睡在码头上。".encode(),
        }
    )
    remark = me.page.get_by_role("listitem").filter(has_text="letter.docx")
    expect(remark).to_be_visible()
    assert len(remark.inner_text()) > len("letter.docx: ") + 20, "the remark says what is wrong"
    me.use("Birds")
    me.go("compare").ask("pelican")
    expect(me.cards(0).first).to_contain_text("A pelican sleeps on the pier.")


HTML = (
    "<b data-hostile>hostile</b><script>window.__pwned = 1</script><img src=/hostile onerror=window.__pwned=1>"
    "</style></div><svg onload=window.__pwned=1>"
)
MARKDOWN = (
    r"[hostile](javascript:window.__pwned=1) ![hostile](/hostile) **hostile** `hostile` :red[hostile] "
    r"$\Omega\Omega$ $$\Omega\Omega$$ <https://hostile.example>"
)
TITLES = [
    r"pigeon **hostile** $\Omega\Omega$ :red[hostile] [hostile](javascript:1)",
    "<script>window.__pwned=1</script><b data-hostile>",
    "<img src=/hostile onerror=window.__pwned=1>",
    "</style></script><b data-hostile>hostile",
]
HOSTILE = table(
    [
        {"title": title, "text": f"pigeon {i} {HTML} {MARKDOWN} pigeon", "**hostile**<b data-hostile>": MARKDOWN + HTML}
        for i, title in enumerate(TITLES)
    ]
)


def test_hostile_documents_are_shown_as_they_are_and_never_run_on_any_page(visit: Callable[..., Visitor]):
    me = visit().open("corpus")
    me.upload(
        {
            "**hostile** <b data-hostile>.csv": HOSTILE,
            "note.md": f"# {TITLES[0]}\n\npigeon {MARKDOWN}\n\n{HTML}".encode(),
            "page.html": f"<h1>Pigeon</h1><p>pigeon</p>{HTML}".encode(),
        }
    )
    expect(me.page.get_by_text("Documents read:")).to_be_visible()
    unharmed(me)
    me.use(r"[hostile](javascript:1) $\Omega\Omega$ <b data-hostile>")
    unharmed(me)
    passage = me.page.locator(".st-key-corpus-passage .passage")
    expect(passage).to_contain_text(HTML)
    expect(passage).to_contain_text(MARKDOWN)

    me.go("compare").ask(f"pigeon {MARKDOWN} {HTML}")
    for title in sample(reversed(TITLES), 1):
        me.click(
            me.cards(0).filter(has=me.page.locator(".title", has_text=title)).first,
            expect(me.why).to_contain_text,
            f"How “{title[:12]}",
        )
    me.settle()
    passage = me.page.locator(".st-key-compare-passage .passage")
    expect(passage).to_contain_text(HTML)
    expect(passage).to_contain_text(MARKDOWN)
    unharmed(me)

    links = me.page.locator('[data-testid="stSidebar"] a').evaluate_all(
        "links => links.map(a => new URL(a.href).pathname.slice(1))"
    )
    assert {"compare", "tokenizer", "fusion", "mmr", "reorder"} <= set(links)
    for path in links if NIGHT else SHOWN[:1]:
        me.go(path)  # the question there is the first title, with its Markdown
        unharmed(me)
