// Pipelines side by side, from the question to the list: one card per part with what it gave, a place to add
// one between them.  A click reports where ("a/refine.0") as the trigger "picked".  All text is set as text.
const button = (name, at, data, pick) => {
  const node = make("button", name + (at === data.at ? " on" : ""));
  node.type = "button";
  node.dataset.at = at;
  node.setAttribute("aria-pressed", String(at === data.at));
  node.onclick = () => pick(at);
  return node;
};

const draw = {
  card: (item, data, pick) => {
    const node = button("part" + (item.state ? " " + item.state : ""), item.at, data, pick);
    if (item.color) node.style.setProperty("--c", item.color);
    const head = make("span", "what");
    head.append(make("b", "", item.title));
    const told = make("span", "told");
    if (item.count) told.append(make("span", "", item.count));
    if (item.dropped) told.append(make("span", "dropped", item.dropped));
    if (item.ms) told.append(make("span", "ms", item.ms));
    if (item.rank) told.append(make("span", "place", item.rank));
    node.append(head, told);
    if (item.note) node.append(make("span", "why", item.note));
    return node;
  },
  add: (item, data, pick) => {
    const node = button("add", item.at, data, pick);
    node.title = item.title;
    node.setAttribute("aria-label", item.title);
    node.append(make("span", "", "+"));
    if (item.text) node.append(make("span", "", item.text));
    return node;
  },
  box: (item, data, pick) => {
    const node = make("div", "box");
    node.append(make("span", "of", item.title), ...item.items.map((own) => draw[own.kind](own, data, pick)));
    return node;
  },
};

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".flow");
  if (!root) {
    root = make("div", "flow");
    parentElement.append(root);
  }
  const pick = (at) => {
    setTriggerValue("picked", at);
    if (!matchMedia("(max-width: 640px)").matches) return;  // there the settings stand beside the picture
    document.querySelector(data.settings)?.scrollIntoView({ block: "start" });
  };
  const focused = root.getRootNode().activeElement?.dataset?.at;  // drawing anew keeps the focus of the keyboard
  const chosen = data.columns.findIndex((column) => data.at.startsWith(column.letter + "/"));
  const tabs = make("div", "tabs");
  const grid = make("div", "grid");
  grid.style.setProperty("--n", data.columns.length);
  const show = (i) => {
    [...tabs.children].forEach((t, j) => t.classList.toggle("on", i === j));
    [...grid.children].forEach((c, j) => c.classList.toggle("shown", i === j));
  };
  data.columns.forEach((column, i) => {
    const tab = make("button", "tab", column.title);
    tab.type = "button";
    tab.style.setProperty("--c", column.color);
    tab.onclick = () => show(i);
    tabs.append(tab);
    const node = make("section", "list");
    node.style.setProperty("--c", column.color);
    node.setAttribute("aria-label", column.title);
    const head = button("pipe", column.letter + "/", data, pick);
    head.append(make("b", "", column.title), make("span", "", column.meta));
    const steps = make("div", "steps");
    steps.append(...column.items.map((item) => draw[item.kind](item, data, pick)));
    node.append(head, steps);
    grid.append(node);
  });
  root.replaceChildren(...(data.columns.length > 1 ? [tabs, grid] : [grid]));
  show(Math.max(chosen, 0));
  if (focused) [...root.querySelectorAll("button")].find((b) => b.dataset.at === focused)?.focus({ preventScroll: true });
}
