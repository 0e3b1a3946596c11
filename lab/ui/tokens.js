// One text under several tokenizers: a row of chips each; a chip marks its place in the text while it has the pointer or
// the focus, which the arrow keys move.
export default function ({ data: [data], parentElement }) {
  let root = parentElement.querySelector(".tokens");
  if (!root) {
    root = make("div", "tokens");
    parentElement.append(root);
  }
  const source = make("div", "source");
  const show = (a, b) => {
    source.replaceChildren(document.createTextNode(data.text.slice(0, a)), make("mark", "", data.text.slice(a, b)), document.createTextNode(data.text.slice(b)));
  };
  show(0, 0);
  const rows = data.rows.map((row) => {
    const line = make("div", "row" + (row.on ? " on" : ""));
    const head = make("div", "label");
    head.append(make("b", "", row.name), make("span", "", row.note));
    head.title = row.note;
    const chips = make("div", "chips");
    for (const [text, a, b, kind] of row.tokens) {
      const chip = make("span", "token" + (kind ? " " + kind : ""), text);
      chip.tabIndex = chips.firstChild ? -1 : 0;
      chip.onmouseenter = chip.onfocus = () => show(a, b);
      chip.onmouseleave = chip.onblur = () => show(0, 0);
      chips.append(chip);
    }
    chips.onkeydown = ({ key, target }) => ({ ArrowRight: target.nextSibling, ArrowLeft: target.previousSibling })[key]?.focus();
    if (!row.tokens.length) chips.append(make("span", "none", row.none));
    line.append(head, chips);
    return line;
  });
  root.replaceChildren(source, ...rows);
}
