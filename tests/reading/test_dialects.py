"""Dialects of Markdown: what the reader of the note sees, while code about their signs stays."""

from __future__ import annotations

import pytest

from lab.reading.read import read_file


def seen(text: str, name: str = "f.md") -> str:
    return "\n\n".join(d.text for d in read_file(name, text.encode()))


def titles(text: str) -> list[str]:
    return [d.title for d in read_file("f.md", text.encode())]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ask at [[Harbour office#Opening hours|the office]]. ![[jetty.png|300]]", "Ask at the office."),
        ("See [[Rules]], [[Rules#Storm]], [[#Here]], ![[Tides]].", "See Rules, Rules > Storm, Here, Tides."),
        ("| a | b |\n|---|---|\n| [[X\\|name]] | y |", "a | b\nname | y"),
        ("> [!warning]- Be careful\n> Storm is ==near==.", "Be careful\n\nStorm is near."),
        ("> [!NOTE]\n> Mind the tide.", "Note\n\nMind the tide."),
        ("Seen %%not this%% too. ^abc123\n\n%%\nnor\nthis\n%%\n\nEnd #boats/small", "Seen too.\n\nEnd #boats/small"),
        ("![a jetty|300](x.png)", "a jetty"),
        ("Bash [[ -f x ]], [[1, 2], [3, 4]], a == b == c, 50%% of %% all", None),
    ],
)
def test_obsidian(text: str, shown: str | None) -> None:
    assert seen(text) == (text if shown is None else shown)


def test_front_matter_may_be_folded_or_nested() -> None:
    front = "summary: >-\n  Who may take a boat\n  and when.\nnotes: |\n  one\n  two\ntags:\n  - sea\n"
    front += "author:\n  name: Mira\nlong: a\n  b"
    document = read_file("f.md", f"---\n{front}\n---\n# Boats\n\nText.".encode()).documents[0]
    fields = {name: document.metadata[name] for name in ("summary", "notes", "tags", "name", "long")}
    assert fields == {
        "summary": "Who may take a boat and when.", "notes": "one\ntwo", "tags": ["sea"], "name": "Mira", "long": "a b",
    }  # fmt: skip


BLOCK = "64f1c0de-1234-4abc-8def-0123456789ab"


def test_logseq() -> None:
    note = (
        f"title:: Boat notes\ntags:: [[harbour]], sea\n\n- TODO Paint\n  id:: {BLOCK}\n  collapsed:: true\n"
        f"  priority:: high\n- See (({BLOCK})) and #[[two words]]\n- DONE Row\n  :LOGBOOK:\n  CLOCK: x\n  :END:\n"
        "- {{embed [[Page]]}} {{query (todo TODO)}}\n"
    )
    document = read_file("f.md", note.encode()).documents[0]
    assert (document.title, document.metadata["tags"]) == ("Boat notes", ["harbour", "sea"])
    assert document.text == "- TODO Paint\npriority: high\n- See TODO Paint and #two words\n- DONE Row\n- Page"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":::note Please read\n\nInside.\n\n:::", "Please read\n\nInside."),
        (":::tip[Do it]\nNow.\n:::", "Do it\n\nNow."),
        ("::: warning\nHot.\n:::", "Warning\n\nHot."),
        ("import Tabs from '@theme/Tabs';\n\nOne. {/* gone */}", "One."),
        ("<Tabs>\n<TabItem value='a' label=\"Apple\">\n\nRed.\n\n</TabItem>\n</Tabs>", "Apple\n\nRed."),
        ('!!! note "Mind the gap"\n    Inside.\n\n    - item\n\nAfter.', "Mind the gap\n\nInside.\n\n- item\n\nAfter."),
        ('??? tip\n    Open me.\n\n!!! danger ""\n    Bare.', "Tip\n\nOpen me.\n\nBare."),
        ('=== "Linux"\n\n    Use apt.\n\n=== "Mac"\n\n    Use brew.', "Linux\n\nUse apt.\n\nMac\n\nUse brew."),
        ("1. Step\n    !!! info\n        nested\n2. Two", "1. Step\n\nInfo\n\nnested\n\n2. Two"),
        ("Press :material-home: ![pic](x.png){ width=300 } [a](b){:target='_blank'}\n{: .lead}", "Press pic a"),
        ('{{< figure src="a.png" title="A ferry" caption="At noon" >}}', "A ferry. At noon"),
        ('{{% alert title="Warning" %}}\nStorm.\n{{% /alert %}}', "Warning\nStorm."),
        ('See [rules]({{< ref "rules.md" >}}) {{< youtube x >}}', "See rules"),
        ("See [post]({% link _posts/x.md %}). {% include note.html content='Take care' %}", "See post. Take care"),
        ("{% raw %}{{ kept }}{% endraw %}\n\n{% comment %}\ngone\n{% endcomment %}\n\nEnd.", "{{ kept }}\n\nEnd."),
        ('::: {.callout-tip title="Do it"}\nNow.\n:::', "Do it\n\nNow."),
        (':::: {.columns}\n::: {.column width="40%"}\nLeft\n:::\n::::', "Left"),
        ("[small]{.smallcaps} ![Cap](a.png){#fig-x width=50%}, see @fig-x", "small Cap, see @fig-x"),
        ("this is !!! fun\n\n!!! really fun", "this is !!! fun\n\n!!! really fun"),
        ("$$\n\\sum_{i=1}^{n} U_i\n$$\n\n$x_{a=b}[[y]]$", "$$\n\\sum_{i=1}^{n} U_i\n$$\n\n$x_{a=b}[[y]]$"),
    ],
)  # fmt: skip
def test_manuals_and_sites(text: str, shown: str) -> None:
    assert seen(text) == shown


@pytest.mark.parametrize(
    "heading",
    ["Install {#install}", "Install {: #install .big }", "Install {-}", "Install {#a .b} ##", "Install {/* #a */}"],
)
def test_ids_of_headings_are_no_part_of_them(heading: str) -> None:
    assert titles(f"# Guide\n\ntext\n\n## {heading}\n\nRun it.")[1] == "Guide › Install"


@pytest.mark.parametrize(
    "signs", ["[[Page|name]]", "%%x%%", "{#id}", "{{< tab >}}", "{% x %}", ":::note", "^abc", "10^6^"]
)
def test_code_about_the_signs_stays(signs: str) -> None:
    code = f"Write `{signs}`:\n\n```\n{signs}\n```\n\nor\n\n    {signs}\n\n- item\n\n  ~~~\n  {signs}\n  ~~~"
    assert seen(code).count(signs) == 4
    hugo = f"{{{{< highlight md >}}}}\n{signs}\n{{{{< /highlight >}}}}"
    jekyll = f"{{% highlight md %}}\n{signs}\n{{% endhighlight %}}"
    assert seen(f"{hugo}\n\n{jekyll}").count(signs) == 2
