// Pairs of searches, a row each, and a square per question: better, equal, worse.  The left and right arrows go from
// question to question, up and down from pair to pair; a click, Enter or Space reports {pair, question} as the trigger
// "picked".  The question at the pointer or the focus stands below, in place of `hint`.  All text is set with textContent.
const SIGNS = { better: "+", equal: "", worse: "−" };

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".squares");
  if (!root) {
    root = make("div", "squares");
    parentElement.append(root);
  }
  const focused = root.getRootNode().activeElement?.dataset?.at;  // drawing anew keeps the focus of the keyboard
  const told = make("p", "told", data.hint), rows = [];
  for (const [kind, color] of Object.entries(data.colors)) root.style.setProperty("--" + kind, color);
  const square = (kind, [id, value], pair) => {
    const node = make("button", "square " + kind, SIGNS[kind]), label = `${value} · ${data.texts[id] ?? id}`;
    const chosen = id === data.chosen;
    node.type = "button";
    node.tabIndex = -1;
    node.dataset.at = pair + " " + id;
    node.setAttribute("aria-label", label);
    node.setAttribute("aria-pressed", String(chosen && pair === data.pair));
    node.classList.toggle("chosen", chosen);
    node.onclick = () => setTriggerValue("picked", { pair, question: id });
    node.onfocus = node.onpointerenter = () => { told.textContent = label; };
    node.onblur = node.onpointerleave = () => { told.textContent = data.hint; };
    return node;
  };
  const drawn = data.rows.map((row, pair) => {
    const node = make("div", "row"), name = make("div", "name"), groups = make("div", "groups");
    name.append(make("span", "", row.name), make("b", "", row.mean), make("span", "chance", row.chance));
    groups.setAttribute("role", "group");
    groups.setAttribute("aria-label", row.name);
    for (const [kind, words, questions] of row.groups) {
      const group = make("div", "group"), all = make("div", "all");
      group.style.flexGrow = questions.length;
      all.append(...questions.map((question) => square(kind, question, pair)));
      group.append(all, make("span", "words", words));
      groups.append(group);
    }
    rows[pair] = [...groups.querySelectorAll(".square")];
    const stop = rows[pair].find((one) => one.classList.contains("chosen")) ?? rows[pair][0];
    if (stop) stop.tabIndex = 0;  // one stop of the Tab key per pair
    node.append(name, groups);
    return node;
  });
  root.onkeydown = (event) => {
    const pair = rows.findIndex((row) => row.includes(event.target)), at = rows[pair]?.indexOf(event.target);
    const aside = (by) => rows[pair + by]?.[Math.min(at, rows[pair + by].length - 1)];
    const to = {
      ArrowLeft: () => rows[pair][at - 1], ArrowRight: () => rows[pair][at + 1], ArrowUp: () => aside(-1),
      ArrowDown: () => aside(1), Home: () => rows[pair][0], End: () => rows[pair].at(-1),
    }[event.key];
    if (pair < 0 || !to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    to()?.focus();
  };
  root.replaceChildren(...drawn, told);
  if (focused) [...root.querySelectorAll(".square")].find((one) => one.dataset.at === focused)?.focus({ preventScroll: true });
}
