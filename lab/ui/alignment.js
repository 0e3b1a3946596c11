// The words of a question, the parts that they became and the pieces of SQL, one below the other, with lines between
// what belongs together.  A click on one lights up all of it.  All text is set as text.
const NS = "http://www.w3.org/2000/svg";

const middle = (node, box, edge) => {
  const at = node.getClientRects()[0];
  return at && [at.left + at.width / 2 - box.left, (edge === "top" ? at.top : at.bottom) - box.top];
};

export default function ({ data: [data], parentElement }) {
  let root = parentElement.querySelector(".alignment");
  if (!root) {
    root = make("div", "alignment");
    parentElement.append(root);
  }
  let lit = null; // the parts that are lit, by number
  const spans = []; // [node, its parts]
  const piece = ([text, parts, state], name) => {
    if (!parts.length) {
      const node = make("span", state || "plain", text);
      if (state === "unknown") node.title = data.unknown;
      return node;
    }
    // no <button>: what is read in one line, or in several, must break where the text does
    const node = make("span", name, text), press = () => light(lit && String(lit) === String(parts) ? null : parts);
    node.setAttribute("role", "button");
    node.tabIndex = 0;
    node.dataset.parts = parts.join(" ");
    node.style.setProperty("--c", data.parts[parts[parts.length - 1]].color);
    node.onclick = press;
    node.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press();
    };
    spans.push([node, parts]);
    return node;
  };
  const band = (label, name, nodes) => {
    const node = make("div", "band " + name);
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", label);
    node.append(make("span", "label", label), ...nodes);
    return node;
  };
  const bands = [];
  if (data.words.length) bands.push(band(data.labels[0], "words", data.words.map((x) => piece(x, "word"))));
  if (data.parts.length) bands.push(band(data.labels[1], "parts", data.parts.map((x, i) => piece([x.text, [i]], "part"))));
  if (data.sql.length) {
    const code = make("div", "code");
    code.append(...data.sql.map((x) => piece(x, "sql")));
    bands.push(band(data.labels[2], "statement", [code]));
  }
  if (data.joins.length) {
    const ways = data.joins.map(({ from, to, on, found }) => {
      const way = make("span", "way" + (found ? " found" : ""));
      way.append(make("b", "", from), make("span", "key", on), make("b", "", to));
      if (found) way.title = found;
      return way;
    });
    bands.push(band(data.labels[3], "joins", ways));
  }
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("aria-hidden", "true");
  root.replaceChildren(svg, ...bands);

  const draw = () => {
    const box = root.getBoundingClientRect();
    const lines = [];
    const parts = [...root.querySelectorAll(".part")];
    const join = (a, b, i) => {
      if (!a || !b) return;
      const path = document.createElementNS(NS, "path"), half = (a[1] + b[1]) / 2;
      path.setAttribute("d", `M${a[0]},${a[1]} C${a[0]},${half} ${b[0]},${half} ${b[0]},${b[1]}`);
      path.style.stroke = data.parts[i].color;
      path.setAttribute("class", !lit ? "" : lit.includes(i) ? "on" : "off");
      lines.push(path);
    };
    const drawn = new Set(); // of the SQL, one line to a part: to where it first stands
    for (const [node, of] of spans) {
      for (const i of of) {
        if (node.classList.contains("word")) join(middle(node, box, "bottom"), middle(parts[i], box, "top"), i);
        if (node.classList.contains("sql") && !drawn.has(i)) {
          drawn.add(i);
          join(middle(parts[i], box, "bottom"), middle(node, box, "top"), i);
        }
      }
    }
    svg.replaceChildren(...lines);
  };
  const light = (parts) => {
    lit = parts;
    for (const [node, of] of spans) {
      const on = lit && of.some((i) => lit.includes(i));
      node.classList.toggle("on", Boolean(on));
      node.classList.toggle("off", Boolean(lit) && !on);
      node.setAttribute("aria-pressed", String(Boolean(on)));
    }
    draw();
  };
  root.onkeydown = (event) => { if (event.key === "Escape") light(null); };
  light(null);
  root.watch?.disconnect();  // that of the run before would draw parts that are no longer there
  root.watch = new ResizeObserver(draw);
  root.watch.observe(root);
  return () => root.watch.disconnect();
}
