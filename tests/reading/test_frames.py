"""What frames an exported page is left out, with a remark; what only looks like it stays."""

from __future__ import annotations

import pytest

from lab.reading.read import read_file

CONFLUENCE = """<html><head><title>HAR : Rules</title></head><body><div id="page"><div id="main-header">
<div id="breadcrumb-section"><ol id="breadcrumbs"><li><a href="i.html">Home</a></li></ol></div>
<h1 id="title-heading">HAR : Rules</h1></div><div id="content" class="view"><div class="page-metadata">Created by
<span class="author">Mira</span></div><div id="main-content" class="wiki-content"><h2>Storm</h2><p>No boat leaves.</p>
<h2>Jackets</h2><p>Wear one.</p></div></div><div id="footer"><section class="footer-body"><p>Document generated</p>
</section></div></div></body></html>"""


def test_the_frame_of_a_page_is_left_out_and_said() -> None:
    result = read_file("rules.html", CONFLUENCE.encode())
    assert [(d.title, d.text) for d in result] == [
        ("HAR : Rules › Storm", "No boat leaves."), ("HAR : Rules › Jackets", "Wear one."),
    ]  # fmt: skip
    assert "page frame" in str(result.files[0].text)


@pytest.mark.parametrize(
    "frame",
    [
        '<div id="mw-navigation">Go</div>',
        '<div id="catlinks" class="catlinks">Categories: Boats</div>',
        '<p>Fog. <span class="mw-editsection">[edit]</span></p>',
        '<div id="s4-ribbonrow">Browse</div><div id="sideNavBox">Libraries</div>',
        '<ul aria-label="Breadcrumb"><li>Home</li></ul>',
        '<ul class="theme-doc-breadcrumbs"><li>Docs</li></ul><a class="hash-link" href="#x">#</a>',
        '<div role="navigation">Menu</div><div class="md-footer">Made with</div>',
        '<button class="x" aria-label="Copy code">C</button><button>复制代码</button>',
        '<div id="banners"><div id="publish-banner">Updated every 5 minutes</div></div>',
        '<div aria-label="面包屑导航">首页</div>',
    ],
)  # fmt: skip
def test_frames_of_other_programs(frame: str) -> None:
    result = read_file("f.html", f"<body>{frame}<div><p>Text.</p></div></body>".encode())
    text = result.documents[0].text.removeprefix("Fog.\n\n")
    assert (text, "page frame" in str(result.files[0].text)) == ("Text.", True)


@pytest.mark.parametrize(
    "numbers",
    [
        '<table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>import a\na()</pre></td></tr></table>',
        '<pre><span class="lineno">1 </span>import a\n<span class="lineno">2 </span>a()</pre>',
        '<table><tr><td class="gutter">1</td><td>import a</td></tr><tr><td class="lnt">2</td><td>a()</td></tr></table>',
        '<pre class="line-numbers"><ol class="linenums"><li>import a</li><li>a()</li></ol></pre>',
    ],
)
def test_numbers_of_lines_are_no_code(numbers: str) -> None:
    text = read_file("f.html", f"<body>{numbers}</body>".encode()).documents[0].text
    assert [line for line in text.split("\n") if line] == ["import a", "a()"]


def test_what_is_a_part_of_the_text_stays() -> None:
    page = (
        '<body class="navigation"><article><p>Text.</p><footer>Signed by Mira</footer></article>'
        "<button>How do I row?</button>"
        '<p aria-label="the navigation of the harbour">Steer.</p><p class="metadata note">Noted.</p></body>'
    )
    words = " ".join(read_file("f.html", page.encode()).documents[0].text.split())
    assert words == "Text. Signed by Mira How do I row? Steer. Noted."


def test_the_title_of_an_exported_document_is_its_title() -> None:
    page = '<body><p class="c1 title">Club rules</p><h1>Storm</h1><p>Stay in.</p><h1>Fog</h1><p>Wait.</p>'
    assert [d.title for d in read_file("f.html", page.encode())] == ["Club rules › Storm", "Club rules › Fog"]
    card = "<body><p>Text.</p><p class='title'>Card</p><p>More.</p>"
    assert [d.text for d in read_file("f.html", card.encode())] == ["Text.\n\nCard\n\nMore."]
