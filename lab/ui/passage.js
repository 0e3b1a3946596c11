// One passage in full: heading, facts, and the text with marked, struck and coloured parts, all set as text.
export default function ({ data: [data], parentElement }) {
  let root = parentElement.querySelector(".passage");
  if (!root) {
    root = document.createElement("div");
    root.className = "passage";
    root.tabIndex = 0; // a long one is scrolled by keyboard
    parentElement.append(root);
  }
  const nodes = [];
  for (const [name, text] of [["heading", data.title], ["gloss", data.gloss], ["facts", data.facts]]) {
    if (!text) continue;
    const node = document.createElement("div");
    node.className = name;
    node.textContent = text;
    nodes.push(node);
  }
  const body = document.createElement("div");
  for (const [text, kind] of data.text) {
    if (!kind) { body.append(document.createTextNode(text)); continue; }
    const node = document.createElement(kind === "struck" ? "del" : kind === "mark" ? "mark" : "span");
    if (node.tagName === "SPAN") node.className = kind;
    node.textContent = text;
    body.append(node);
  }
  root.replaceChildren(...nodes, body);
  const here = body.querySelector(".here");  // the place that is spoken of is in sight
  if (here) root.scrollTop = here.offsetTop - root.offsetTop - root.clientHeight / 3;
}
