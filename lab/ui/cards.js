// Ranked lists side by side.  All text arrives as data and is set with textContent: nothing in a document
// can become markup.  A click (or Enter) on a card reports the document's id as the trigger "picked"; one of its
// buttons, where there are votes, {doc, kind} as the trigger "voted"; a grade, or a key from 0 to 3, {doc, grade} as
// the trigger "graded"; the button below a list the trigger "more"; a value above the lists {field, value} as the
// trigger "only".
const marked = (segments, name) => {
  const p = make("div", name);
  for (const [text, on] of segments) p.append(on ? make("mark", "", text) : document.createTextNode(text));
  return p;
};

const voting = (hit, kind, vote, tell) => {
  const node = make("button", "vote", vote.sign);
  node.type = "button";
  node.title = vote.title;
  node.setAttribute("aria-label", vote.title + ": " + hit.title);
  node.setAttribute("aria-pressed", String(vote.ids.includes(hit.id)));
  node.onclick = (e) => { e.stopPropagation(); tell({ doc: hit.id, kind }); };
  node.onkeydown = (e) => e.stopPropagation();
  return node;
};

// The grades stand beside the card, not in it: a button in a button is none.
const graded = (hit, node, grading, give) => {
  const own = grading.own[hit.id], row = make("div", "grades" + (own === undefined ? "" : " given"));
  const press = (value) => give({ doc: hit.id, grade: value === own ? null : value });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", grading.label + ": " + hit.title);
  grading.words.forEach((word, value) => {
    const button = make("button", "grade", String(value));
    button.type = "button";
    button.tabIndex = -1;  // Tab goes from card to card: there the keys 0 to 3 grade
    button.title = value + ": " + word;
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-pressed", String(value === own));
    button.onclick = () => press(value);
    row.append(button);
  });
  node.setAttribute("aria-keyshortcuts", "0 1 2 3");
  node.addEventListener("keydown", (e) => {
    const value = ["0", "1", "2", "3"].indexOf(e.key);
    if (value >= 0 && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); press(value); }
  });
  const holder = make("div", "holder");
  holder.append(node, row);
  return holder;
};

const pins = (marks) => (marks || []).map((mark) => make("span", "pin", mark));

const spoken = (list) => list.pins?.length || list.hits.some((hit) => hit.pins?.length);

const card = (hit, list, data, pick, tell) => {
  const node = make("div", "card" + (hit.id === data.selected ? " on" : "") + (hit.dropped ? " gone" : "") + (hit.pins?.length ? " pinned" : ""));
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  node.setAttribute("aria-pressed", String(hit.id === data.selected));
  node.dataset.doc = hit.id;
  node.onclick = () => pick(hit.id);
  node.onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(hit.id); } };
  const head = make("div", "head");
  head.append(...pins(hit.pins), make("span", "rank", hit.rank));
  const chip = make("span", "chip");
  chip.style.background = hit.chip;
  head.append(chip, make("span", "title", hit.title));
  for (const tag of hit.tags || []) head.append(make("span", "tag", tag));
  if (hit.move) head.append(make("span", "move", hit.move));
  head.append(make("span", "score", hit.score));
  node.append(head, marked(hit.text, "text"));
  if (hit.reason) node.append(make("div", "reason", hit.reason));
  const foot = make("div", "foot");
  if (hit.parts && hit.parts.length) {
    const bar = make("div", "bar");
    for (const part of hit.parts) {
      const piece = make("i");
      piece.style.width = part.width + "%";
      piece.style.background = part.color || list.color;
      if (part.title) piece.title = part.title;
      bar.append(piece);
    }
    foot.append(bar);
  }
  for (const [kind, vote] of Object.entries(data.votes || {})) foot.append(voting(hit, kind, vote, tell));
  if (foot.children.length) node.append(foot);
  return node;
};

const rest = (list, more) => {
  const row = make("div", "rest");
  if (list.more) {
    const button = make("button", "more", list.more);
    button.type = "button";
    button.setAttribute("aria-label", list.more + ": " + list.title);
    button.onclick = more;
    row.append(button);
  }
  row.append(make("span", "", list.end));
  return row;
};

const values = (only, choose) => {
  const row = make("div", "only"), chips = make("div", "values");
  if (only.fields.length > 1) {
    const pick = make("select", "field");
    pick.setAttribute("aria-label", only.by);
    for (const name of only.fields) pick.append(make("option", "", name));
    pick.value = only.field;
    pick.dataset.at = "field";
    pick.onchange = () => choose({ field: pick.value, value: "" });
    row.append(pick);
  } else row.append(make("span", "field", only.field));
  chips.setAttribute("role", "group");
  chips.setAttribute("aria-label", only.label + ": " + only.field);
  chips.title = only.help;
  for (const [value, label, count] of only.values) {
    const on = value === only.value, button = make("button", "value", label + " ");
    button.type = "button";
    button.dataset.at = "=" + value;
    button.setAttribute("aria-pressed", String(on));
    button.append(make("span", "", count));
    button.onclick = () => choose({ field: only.field, value: on ? "" : value });
    chips.append(button);
  }
  row.append(chips);
  return row;
};

// A part that says what it said stays as it is, where it is: the browser lays out and paints only what differs.
const kept = (root) => {
  const before = root.made ?? new Map(), now = (root.made = new Map());
  return (told, build) => {
    const key = JSON.stringify(told), node = before.get(key)?.shift() ?? build();
    now.set(key, [...(now.get(key) ?? []), node]);
    return node;
  };
};

const arrange = (parent, nodes) => {
  nodes.forEach((node, i) => node === parent.childNodes[i] || parent.insertBefore(node, parent.childNodes[i] ?? null));
  while (parent.childNodes.length > nodes.length) parent.lastChild.remove();
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".lists");
  if (!root) {
    root = make("div", "lists");
    parentElement.append(root);
  }
  const keep = kept(root);
  root.send = setTriggerValue;  // what is kept from an earlier run sends by today's
  const pick = (id) => root.send("picked", id);
  const tell = (vote) => root.send("voted", vote);
  const give = (grade) => root.send("graded", grade);
  const choose = (value) => root.send("only", value);
  const first = data.lists.findIndex(spoken);
  const told = first >= 0 && root.dataset.step !== data.step;  // the list that a lesson speaks of, once for its sentence
  root.dataset.step = data.step || "";
  const shown = told ? first : Math.min(Number(root.dataset.shown || 0), data.lists.length - 1);
  const pinned = data.lists.filter(spoken);
  const tabs = keep(["tabs"], () => make("div", "tabs"));
  const grid = keep(["grid"], () => make("div", "grid"));
  // Drawing anew must not take the focus from whoever uses the keyboard: it stays on the card, or goes from the button
  // below the list to the first of the cards that have come.
  const focused = root.getRootNode().activeElement;
  const column = focused ? [...grid.children].indexOf(focused.closest(".list")) : -1;
  grid.style.setProperty("--n", data.lists.length);
  grid.style.setProperty("--few", pinned.length > 2 ? 3 : 2);  // in a narrower window; a lesson may speak of three at once
  const show = (i) => {
    root.dataset.shown = i;
    [...tabs.children].forEach((t, j) => t.classList.toggle("on", i === j));
    [...grid.children].forEach((c, j) => c.classList.toggle("shown", i === j));
  };
  const tab = (list, i) => keep(["tab", i, list.title, list.color], () => {
    const tab = make("button", "tab", list.title);
    tab.type = "button";
    tab.onclick = () => show(i);
    tab.style.setProperty("--c", list.color);
    return tab;
  });
  const named = (list) => keep(["name", list.title, list.meta, list.pins], () => {
    const title = make("div", "name");
    title.append(...pins(list.pins), make("b", "", list.title), make("span", "", list.meta));
    return title;
  });
  const placed = (list, hit) => keep([hit, hit.id === data.selected, list.color, data.votes, data.grading], () => {
    const node = card(hit, list, data, pick, tell);
    return data.grading ? graded(hit, node, data.grading, give) : node;
  });
  const columns = data.lists.map((list, i) => {
    const marked = list.hits.flatMap((hit, i) => hit.pins?.length ? [i] : []);
    const many = marked.length > 3 || (marked.length > 1 && marked.at(-1) > 6);  // as lines they are in sight together
    const column = keep(["list", i], () => make("section"));
    column.className = "list" + (spoken(list) ? " spoken" : "") + (many ? " many" : "");
    column.style.setProperty("--c", list.color);
    column.setAttribute("aria-label", list.title);
    const ids = list.hits.map((hit) => hit.id), further = () => { root.before = ids; root.send("more", true); };
    arrange(column, [
      named(list),
      ...(list.note ? [make("div", "note", list.note)] : []),
      ...list.hits.map((hit) => placed(list, hit)),
      ...(list.end ? [keep([list.title, list.more, list.end, ids], () => rest(list, further))] : []),
    ]);
    return column;
  });
  arrange(tabs, data.lists.map(tab));
  arrange(grid, columns);
  root.classList.toggle("performing", pinned.length > 0);
  arrange(root, [
    ...(data.only ? [keep([data.only], () => values(data.only, choose))] : []),
    ...(data.moves ? [keep([data.moves], () => make("div", "moves", data.moves))] : []),
    ...(data.lists.length > 1 ? [tabs] : []),
    grid,
  ]);
  show(Math.max(shown, 0));
  const chips = root.querySelector(".values"), on = chips?.querySelector('[aria-pressed="true"]');
  if (chips) {  // at first the chosen value is in sight; in the next frame, which lays the page out once for all
    chips.onscroll = () => { root.left = chips.scrollLeft; };
    if (root.left ?? on !== chips.firstElementChild) {
      requestAnimationFrame(() => chips.scrollTo(root.left ?? on.offsetLeft - chips.offsetLeft, 0));
    }
  }
  if (focused?.dataset.at) [...root.querySelectorAll("[data-at]")].find((x) => x.dataset.at === focused.dataset.at)?.focus({ preventScroll: true });
  if (column < 0 || focused.isConnected) return;
  const cards = [...(grid.children[column]?.querySelectorAll(".card") || [])];
  if (focused.matches(".card")) cards.find((c) => c.dataset.doc === focused.dataset.doc)?.focus({ preventScroll: true });
  if (!focused.matches(".more")) return;
  const come = root.before && cards.find((c) => !root.before.includes(c.dataset.doc));
  if (come) root.before = null;
  (come || grid.children[column]?.querySelector(".more"))?.focus({ preventScroll: true });
}
