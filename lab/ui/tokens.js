// One text under several tokenizers: a row of chips each; pointing at a chip marks its place in the text.
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
      chip.onmouseenter = () => show(a, b);
      chip.onmouseleave = () => show(0, 0);
      chips.append(chip);
    }
    if (!row.tokens.length) chips.append(make("span", "none", row.none));
    line.append(head, chips);
    return line;
  });
  root.replaceChildren(source, ...rows);
}
