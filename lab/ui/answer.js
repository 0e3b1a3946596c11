// Answers side by side: each a strip of cells, one a sentence, and its sentences with the numbers of their sources.  A
// click on a sentence or a cell reports where it is ("a/2") as the trigger "picked", one on a source "a/2/1".  All text
// arrives as data and is set with textContent: neither a passage nor a model can write markup.
const pressed = (tag, name, at, data, pick) => {
  const node = make(tag, name + (at === data.at ? " on" : ""));
  node.dataset.at = at;
  node.setAttribute("aria-pressed", String(at === data.at));
  node.onclick = (e) => { e.stopPropagation(); pick(at); };
  return node;
};

const cell = (one, data, pick) => {
  const node = pressed("button", "cell " + one.state, one.at, data, pick);
  node.type = "button";
  node.style.setProperty("--s", one.support);
  node.style.flexGrow = Math.max(1, Math.sqrt(one.size));
  node.title = one.told;
  node.setAttribute("aria-label", one.told);
  node.append(make("span", "", one.sign));
  return node;
};

const source = (one, data, pick) => {
  const node = pressed("button", "source " + (one.kind || ""), one.at, data, pick);
  node.type = "button";
  node.title = one.title;
  node.setAttribute("aria-label", one.title);
  node.style.setProperty("--d", one.color);
  node.append(make("i"), make("span", "", one.n));
  return node;
};

const sentence = (one, data, pick) => {
  const chosen = data.at === one.at || data.at.startsWith(one.at + "/");
  const node = make("div", "sentence " + one.state + (chosen ? " on" : "") + (one.block ? " block" : ""));
  const text = pressed("span", "said", one.at, data, pick);
  text.tabIndex = 0;
  text.setAttribute("role", "button");
  text.onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(one.at); } };
  if (one.best) text.append(make("span", "best", one.best));
  for (const [piece, kind, title] of one.text) {
    const part = kind ? make("mark", kind, piece) : document.createTextNode(piece);
    if (kind && title) part.title = title;
    text.append(part);
  }
  node.append(text);
  for (const own of one.sources) node.append(source(own, data, pick));
  if (one.note) node.append(make("span", "lone", one.note));
  return node;
};

const answer = (own, data, pick) => {
  const column = make("section", "answer");
  column.style.setProperty("--c", own.color);
  column.setAttribute("aria-label", own.title);
  const head = make("div", "name");
  head.append(make("b", "", own.title), make("span", "", own.meta));
  column.append(head);
  if (own.banner) column.append(make("div", "banner", own.banner));
  if (own.strip && own.sentences.length) {
    const strip = make("div", "strip");
    strip.setAttribute("role", "group");
    strip.setAttribute("aria-label", data.words.strip);
    strip.append(...own.sentences.map((one) => cell(one, data, pick)));
    column.append(strip);
  }
  const text = make("div", "text" + (own.pale ? " pale" : ""));
  text.append(...own.sentences.map((one) => sentence(one, data, pick)));
  column.append(text);
  return column;
};

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".answers");
  if (!root) {
    root = make("div", "answers");
    parentElement.append(root);
  }
  const pick = (at) => setTriggerValue("picked", at);
  const { tagName, dataset } = root.getRootNode().activeElement ?? {};  // drawing anew keeps the focus of the keyboard
  const grid = make("div", "grid");
  grid.style.setProperty("--n", data.answers.length);
  grid.append(...data.answers.map((own) => answer(own, data, pick)));
  const legend = make("div", "legend");
  for (const [sign, state, text] of data.words.legend) {
    const item = make("span", "key");
    const box = make("span", "cell " + state);
    box.style.setProperty("--s", state === "held" ? 1 : state === "weak" ? 0.5 : 0);
    box.append(make("span", "", sign));
    item.append(box, make("span", "", text));
    legend.append(item);
  }
  root.replaceChildren(grid, legend);
  if (dataset?.at) root.querySelector(`${tagName}[data-at="${CSS.escape(dataset.at)}"]`)?.focus();
}
