// What was tried on a page: a curve over the tries, and below it one row each, the newest first.  A click on a row (or
// Enter) reports its number as the trigger "chosen"; Clear asks once and reports "cleared".  All text arrives as data and is set with textContent.
const SVG = "http://www.w3.org/2000/svg";

const shape = (tag, attributes) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};

const LEAST = 0.02;  // a smaller difference does not fill the height; tries with the same figure are a level line

const curve = (data) => {
  const width = 236, height = 56, side = 8, shown = (value) => Number(value.toFixed(3)), values = data.line.map((point) => shown(point.value));
  const low = Math.min(...values), high = Math.max(...values), span = Math.max(high - low, LEAST);
  const x = (i) => side + (i * (width - 2 * side)) / Math.max(data.line.length - 1, 1);
  const y = (value) => height - side - ((value - (low + high) / 2) / span + 0.5) * (height - 2 * side);
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", "aria-hidden": "true" });
  const base = data.line.find((point) => point.base);
  if (base) root.append(shape("line", { x1: 0, x2: width, y1: y(shown(base.value)), y2: y(shown(base.value)), class: "base" }));
  root.append(shape("polyline", { points: data.line.map((p, i) => `${x(i)},${y(shown(p.value))}`).join(" ") }));
  data.line.forEach((point, i) => {
    const now = data.rows.find((row) => row.number === point.number).current;
    const dot = shape("circle", { cx: x(i), cy: y(shown(point.value)), r: now ? 5 : 3 });
    if (now) dot.style.fill = data.colors.now;
    root.append(dot);
  });
  return root;
};

const figures = (row, data) => {
  const node = make("span", "figures"), side = row.change < 0 ? "down" : "up";
  node.append(make("b", "", row.value));
  const sign = make("span", "sign", row.sign || (row.base && data.line.length > 1 && row.value ? data.words.baseline : ""));
  if (row.change) sign.style.color = data.colors[side];
  node.append(sign);
  if (row.bar) {
    const axis = make("span", "axis"), bar = make("i", side);
    bar.style.width = Math.max(4, Math.abs(row.bar) * 50) + "%";
    bar.style.background = data.colors[side];
    axis.append(bar);
    node.append(axis);
  }
  return node;
};

const entry = (row, data, send) => {
  const node = make("li", "try" + (row.current ? " current" : "")), go = make("button", "go"), words = make("span", "words");
  if (row.current) node.style.borderLeftColor = data.colors.now;
  go.type = "button";
  go.disabled = !row.here;
  go.dataset.number = row.number;
  go.title = [row.name, row.what, row.against, row.here ? "" : data.words.gone, new Date(row.at * 1000).toLocaleTimeString(data.language)]
    .filter(Boolean).join("\n");
  if (row.current) go.setAttribute("aria-current", "true");
  go.onclick = () => row.current || send("chosen", row.number);
  words.append(make("b", "", row.name), make("span", "what", row.here ? row.what : data.words.gone));
  go.append(make("span", "number", row.number), words, figures(row, data));
  node.append(go);
  return node;
};

const focusable = (root) => [...root.querySelectorAll("button")];

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".tries");
  if (!root) parentElement.append((root = make("section", "tries")));
  const list = root.querySelector("ol"), top = list ? [list.scrollTop, list.scrollLeft] : [0, 0];
  const typed = root.getRootNode().activeElement, at = typed && root.contains(typed) ? focusable(root).indexOf(typed) : -1;
  root.setAttribute("aria-label", data.words.title);
  const head = make("div", "head"), rows = make("ol", ""), foot = make("div", "foot"), clear = make("button", "clear", data.words.clear);
  head.append(make("b", "", data.words.title), make("span", "", data.measure));
  rows.append(...data.rows.map((row) => entry(row, data, (name, value) => setTriggerValue(name, value))));
  clear.type = "button";
  clear.onclick = () => {
    if (clear.dataset.asked) return setTriggerValue("cleared", true);
    clear.dataset.asked = "1";
    clear.textContent = data.words.sure;
  };
  clear.onblur = () => {
    delete clear.dataset.asked;
    clear.textContent = data.words.clear;
  };
  foot.append(make("span", "", data.hint));
  if (data.rows.length > 1) foot.append(clear);
  root.replaceChildren(head, ...(data.line.length > 1 ? [curve(data)] : []), rows, foot);
  [rows.scrollTop, rows.scrollLeft] = top;
  focusable(root)[at]?.focus();
}
