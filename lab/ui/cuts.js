// One document under several cuts: a row each, its pieces in two tints, those that were found darker, those that count
// lit.  All text arrives as data and is set with textContent.
export default function ({ data: [data], parentElement }) {
  let root = parentElement.querySelector(".cuts");
  if (!root) {
    root = make("div", "cuts");
    parentElement.append(root);
  }
  root.replaceChildren(...data.rows.map((row) => {
    const line = make("section", "row");
    line.style.setProperty("--c", row.color);
    line.setAttribute("aria-label", row.name);
    const head = make("div", "label"), strip = make("div", "strip");
    head.append(make("b", "", row.name), make("span", "", row.note));
    strip.tabIndex = 0;
    strip.setAttribute("role", "group");
    strip.setAttribute("aria-label", row.name);
    for (const [text, kind, title] of row.pieces) {
      const piece = make(kind.includes("lit") ? "mark" : "span", kind, text);
      if (title) piece.title = title;
      strip.append(piece);
    }
    line.append(head, strip);
    return line;
  }));
  for (const strip of root.querySelectorAll(".strip")) {  // what counts is in sight
    const lit = strip.querySelector(".lit");
    if (lit) strip.scrollTop = lit.offsetTop - strip.clientHeight / 3;
  }
}
