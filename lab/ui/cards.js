// Ranked lists side by side, and in the gutters between them curves that link the same document.  All text arrives as
// data and is set with textContent: nothing in a document can become markup.  A click (or Enter) on a row opens it, with
// the rows at the same rank of the other lists, and reports the document's id as the trigger "picked"; one of its
// buttons, where there are votes, {doc, kind} as the trigger "voted"; a grade, or a key from 0 to 3, {doc, grade} as
// the trigger "graded"; the button below a list the trigger "more"; a value in the fold below the lists {field, value} as the
// trigger "only"; the button in the head of a list its number as the trigger "asked".
const NARROWEST = 176, SIDE_BY_SIDE = 6;  // pixels of a list; lists at most
const GUTTERS = { wide: { 2: 160, 3: 92, 4: 56 }, narrow: { 2: 96, 3: 52 }, least: 36 };

const marked = (segments, name) => {
  const p = make("div", name);
  for (const [text, on] of segments) p.append(on ? make("mark", "", text) : document.createTextNode(text));
  return p;
};

const voting = (hit, kind, vote, tell) => {
  const node = make("button", "vote", vote.sign);
  node.type = "button";
  node.tabIndex = -1;
  node.title = vote.title;
  node.setAttribute("aria-label", vote.title + ": " + hit.title);
  node.setAttribute("aria-pressed", String(vote.ids.includes(hit.id)));
  node.onclick = (e) => { e.stopPropagation(); tell({ doc: hit.id, kind }); };
  return node;
};

// The grades stand below the card, not in it: a button inside a button is invalid.
const graded = (hit, node, grading, give) => {
  const own = grading.own[hit.id], row = make("div", "grades" + (own === undefined ? "" : " given"));
  const press = (value) => give({ doc: hit.id, grade: value === own ? null : value });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", grading.label + ": " + hit.title);
  row.append(make("span", "", grading.label));
  grading.words.forEach((word, value) => {
    const button = make("button", "grade", String(value));
    button.type = "button";
    button.tabIndex = -1;  // the arrow keys go from row to row: there the keys 0 to 3 grade
    button.title = value + ": " + word;
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-pressed", String(value === own));
    button.onclick = () => press(value);
    row.append(button);
  });
  if (own !== undefined) row.append(make("span", "word", grading.words[own]));
  node.setAttribute("aria-keyshortcuts", "0 1 2 3");
  node.addEventListener("keydown", (e) => {
    const value = ["0", "1", "2", "3"].indexOf(e.key);
    if (value >= 0 && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); press(value); }
  });
  return row;
};

// A name that is cut, if it is too long, in the middle: before the part that tells it apart, which begins at `at`.
const parted = (name, text, at) => {
  const node = make("span", name + " parted"), letters = [...text];
  if (at) node.append(make("span", "", letters.slice(0, at).join("")));
  node.append(make("span", "", letters.slice(at || 0).join("")));
  return node;
};

const pins = (marks) => (marks || []).map((mark) => make("span", "pin", mark));

const spoken = (list) => list.pins?.length || list.hits.some((hit) => hit.pins?.length);

const bar = (hit, list) => {
  const node = make("div", "bar");
  for (const part of hit.parts) {
    const piece = make("i");
    piece.style.left = part.left + "%";
    piece.style.width = part.width + "%";
    piece.style.background = part.color || list.color;
    if (part.title) piece.title = part.title;
    node.append(piece);
  }
  if (list.zero) {
    const zero = make("b");
    zero.style.left = list.zero + "%";
    node.append(zero);
  }
  return node;
};

const card = (hit, list, data, tell) => {
  const node = make("div", "card");
  node.tabIndex = -1;
  node.setAttribute("role", "button");
  node.dataset.doc = hit.id;
  node.setAttribute("aria-label", [hit.rank, hit.title, hit.gloss?.trim(), ...(hit.tags || []), ...(hit.chips || []), hit.score, hit.move, hit.reason].filter(Boolean).join(", "));
  const head = make("div", "head"), chip = make("span", "chip" + (hit.tags?.length ? " ring" : ""));
  chip.style.setProperty("--d", hit.chip);
  const title = parted("title", hit.title, hit.at);
  title.title = hit.path;
  head.append(...pins(hit.pins), make("span", "rank", hit.rank), chip, title);
  if (hit.ranks) {
    const added = make("span", "move");
    hit.ranks.forEach(([rank, color], i) => {
      const one = make("span", "", rank);
      one.style.color = `color-mix(in srgb, ${color} 80%, var(--st-text-color))`;  // it lies on a tint, too
      added.append(...(i ? [" + "] : []), one);
    });
    head.append(added);
  } else if (hit.move || hit.note) head.append(make("span", "move", hit.move || hit.note));
  for (const text of hit.chips || []) head.append(make("span", "tag", text));
  const given = data.grading?.own[hit.id];
  if (given !== undefined) head.append(make("span", "tag", given));
  head.append(make("span", "score", hit.score));
  for (const [kind, vote] of Object.entries(data.votes || {})) head.append(voting(hit, kind, vote, tell));
  node.append(head);
  if (hit.gloss) node.append(make("div", "gloss", hit.gloss));
  if (hit.ways) node.append(way(hit));
  if (hit.parts?.length) node.append(bar(hit, list));
  node.append(marked(hit.text, "text"));
  if (hit.reason || data.reasons) {
    const reason = make("div", "reason", hit.reason);
    reason.title = hit.reason || "";
    node.append(reason);
  }
  if (hit.tags?.length) node.append(make("div", "tags", hit.tags.join(" · ")));
  return node;
};

// The rank of the answer over a list, and why it is there.
const placing = (list) => {
  const node = make("div", "place");
  node.append(make("b", "", list.place), make("span", "", list.why));
  return node;
};

// Where one list is shown at a time: the ranks of its documents in all of them, as a small line.
const way = (hit) => {
  const svg = document.createElementNS(NS, "svg"), last = Math.max(hit.ways.length - 1, 1);
  svg.setAttribute("class", "way");
  svg.setAttribute("viewBox", "0 0 46 22");
  svg.setAttribute("aria-hidden", "true");
  const points = hit.ways.map((rank, i) => rank && [3 + (40 * i) / last, 3 + Math.min(rank - 1, 9) * 1.7]);
  for (let i = 0; i < last; i++) {
    if (points[i] && points[i + 1]) svg.append(curve(points[i], points[i + 1], { stroke: hit.chip, width: 2 }));
  }
  for (const at of points) if (at) svg.append(dot(at, 2.4, { fill: hit.chip }));
  return svg;
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

const values = (root, only, choose) => {
  const fold = make("details", "only"), row = make("div", "fields"), chips = make("div", "values");
  fold.open = Boolean(only.value || root.unfolded);
  fold.ontoggle = () => { root.unfolded = fold.open; };
  const names = new Map(only.fields);  // an object would put fields such as 2023 first
  if (names.size > 1) {
    const pick = make("select", "field");
    pick.setAttribute("aria-label", only.by);
    for (const [field, name] of names) {
      const option = make("option", "", name);
      option.value = field;
      pick.append(option);
    }
    pick.value = only.field;
    pick.dataset.at = "field";
    pick.onchange = () => choose({ field: pick.value, value: "" });
    row.append(pick);
  } else row.append(make("span", "field", names.get(only.field)));
  chips.setAttribute("role", "group");
  chips.setAttribute("aria-label", only.label + ": " + names.get(only.field));
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
  fold.append(make("summary", "", only.label), row);
  return fold;
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

// What goes is taken out before what comes is put in: a node that is moved loses the focus.
const arrange = (parent, nodes) => {
  const stay = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!stay.has(node)) node.remove();
  nodes.forEach((node, i) => node === parent.childNodes[i] || parent.insertBefore(node, parent.childNodes[i] ?? null));
};

const columns = (root) => [...root.querySelector(".grid").children];
const rows = (list) => [...(list?.querySelectorAll(".card") ?? [])];
const shows = (list) => list.getClientRects().length > 0;

// How many lists stand side by side, and how wide the gutters are.
const measure = (root) => {
  const { data } = root, n = data.lists.length, width = root.clientWidth;
  const beside = Math.min(n, SIDE_BY_SIDE, Math.max(1, Math.floor((width + GUTTERS.least) / (NARROWEST + GUTTERS.least))));
  const gutters = width >= 1000 ? GUTTERS.wide : GUTTERS.narrow;
  const curved = data.linked || data.lists.length === 1;
  root.style.setProperty("--gutter", (beside === 1 ? 0 : curved ? gutters[beside] ?? GUTTERS.least : 24) + "px");
  root.style.setProperty("--n", beside);
  root.beside = beside;
  root.classList.toggle("alone", beside === 1 && n > 1);
  root.classList.toggle("some", beside < n);
};

// Names are whole: the heads of all lists are as high as the longest needs, so that rows of one rank are level.
const level = (root) => {
  for (const part of ["name", "below"]) {
    root.style.removeProperty("--" + part);
    const heights = [...root.querySelectorAll("." + part)].map((node) => node.offsetHeight);
    root.style.setProperty("--" + part, Math.max(0, ...heights) + "px");
  }
};

// Which of the lists are shown, where not all have room: `beside` of them from the chosen one on.
const show = (root, first) => {
  const n = root.data.lists.length, start = Math.max(0, Math.min(first, n - root.beside));
  root.dataset.shown = start;
  const inside = (i) => i >= start && i < start + root.beside;
  columns(root).forEach((list, i) => list.classList.toggle("hidden", !inside(i)));
  [...root.querySelectorAll(".tab")].forEach((tab, i) => {
    tab.classList.toggle("on", inside(i));
    tab.setAttribute("aria-pressed", String(inside(i)));
  });
};

// The place in a list at which rows are open: where the selected document is in the list that was clicked, else in the
// first list that has it.
const place = (root, doc) => {
  const { lists } = root.data, order = [root.opened?.list, root.data.lead, ...lists.keys()].filter((i) => lists[i]);
  const found = order.map((i) => lists[i].hits.findIndex((hit) => hit.id === doc));
  return found.find((at) => at >= 0) ?? -1;
};

// The open rank: the row that was clicked, and in the other lists the row at the same place, paler.  Opened alone, a row
// would push its own list down, and every curve beside it would show a rise that is none.  Where one list is shown at a
// time, the row of the document itself is open.
const open = (root) => {
  root.classList.toggle("neutral", root.data.neutral === true);
  const doc = root.data.selected, at = root.closed === doc ? -1 : place(root, doc), alone = root.beside === 1;
  for (const list of columns(root)) {
    rows(list).forEach((row, i) => {
      const own = row.dataset.doc === doc, opened = at >= 0 && (alone ? own : i === at);
      row.parentElement.classList.toggle("on", own);
      row.parentElement.classList.toggle("open", opened);
      row.setAttribute("aria-pressed", String(own));
      row.setAttribute("aria-expanded", String(opened));
      row.tabIndex = -1;
    });
  }
  const shown = columns(root).filter(shows).flatMap(rows);
  const stop = shown.find((row) => row.dataset.doc === doc) ?? shown[0];
  if (stop) stop.tabIndex = 0;  // one stop of the Tab key; the arrow keys go on from there
};

const press = (root, row) => {
  const doc = row.dataset.doc, list = columns(root).indexOf(row.closest(".list"));
  const again = doc === root.data.selected && row.parentElement.classList.contains("open");
  root.closed = again ? doc : null;
  root.opened = again ? null : { doc, list };
  if (!again && doc !== root.data.selected) {
    root.data.selected = doc;  // seen at once; the server's answer says the same
    root.data.neutral = false;
    root.send("picked", doc);
  }
  open(root);
  root.draw();
};

const say = (root, text) => { root.querySelector(".live").textContent = text; };

const step = (root, row, to) => {
  if (!to) return;
  row.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
};

const keys = (root) => (event) => {
  const row = event.target.closest?.(".card");
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const lists = columns(root).filter(shows), list = row.closest(".list"), own = rows(list), at = own.indexOf(row);
  const aside = (by) => {
    const other = lists[lists.indexOf(list) + by];
    if (!other) return;
    const same = rows(other).find((x) => x.dataset.doc === row.dataset.doc);
    const told = root.data.lists[columns(root).indexOf(list)].hits[at];
    if (!same) say(root, `${other.getAttribute("aria-label")}: ${(by > 0 ? told.after : told.before) || "–"}`);
    step(root, row, same ?? rows(other)[Math.min(at, rows(other).length - 1)]);
  };
  const moves = {
    ArrowDown: () => step(root, row, own[at + 1]), ArrowUp: () => step(root, row, own[at - 1]),
    Home: () => step(root, row, own[0]), End: () => step(root, row, own.at(-1)),
    ArrowRight: () => aside(1), ArrowLeft: () => aside(-1),
    Enter: () => press(root, row), " ": () => press(root, row),
    Escape: () => row.getAttribute("aria-expanded") === "true" && press(root, row),
  };
  if (event.target !== row || !moves[event.key]) return;
  event.preventDefault();
  moves[event.key]();
};

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".lists");
  if (!root) {
    root = make("div", "lists");
    parentElement.append(root);
  }
  if (root.data && root.data.selected !== data.selected) root.closed = null;
  if (root.opened && root.opened.doc !== data.selected) root.opened = null;
  const reasons = data.lists.some((list) => list.hits.some((hit) => hit.reason && !hit.dropped && !hit.lost));  // then every open row has the room
  root.data = { ...data, reasons };
  const keep = kept(root);
  root.send = setTriggerValue;  // what is kept from an earlier run sends by today's
  const tell = (vote) => root.send("voted", vote);
  const give = (grade) => root.send("graded", grade);
  const choose = (value) => root.send("only", value);
  const first = data.lists.findIndex(spoken);
  const told = first >= 0 && root.dataset.step !== data.step;  // the list that a lesson speaks of, once for its sentence
  root.dataset.step = data.step || "";
  const shown = told ? first : Number(root.dataset.shown || 0);
  const tabs = keep(["tabs"], () => make("div", "tabs"));
  const grid = keep(["grid"], () => make("div", "grid"));
  const svg = keep(["curves"], () => {
    const layer = document.createElementNS(NS, "svg");
    layer.setAttribute("class", "curves");
    layer.setAttribute("aria-hidden", "true");
    return layer;
  });
  const live = keep(["live"], () => {
    const node = make("div", "live");
    node.setAttribute("aria-live", "polite");
    return node;
  });
  // Drawing anew must not take the focus from whoever uses the keyboard: it stays on the card, or goes from the button
  // below the list to the first of the cards that have come.
  const focused = root.getRootNode().activeElement;
  const column = focused ? [...grid.children].indexOf(focused.closest(".list")) : -1;
  const tab = (list, i) => keep(["tab", i, list.title, list.color, list.chosen], () => {
    const node = make("button", "tab");
    node.type = "button";
    node.append(make("b", "", list.title));
    if (list.chosen) node.append(make("span", "", list.chosen));
    node.onclick = () => root.layout(i);
    node.style.setProperty("--c", list.color);
    return node;
  });
  const named = (list, i) => keep(["name", i, list.title, list.meta, list.pins, data.ask, data.asked?.[i]], () => {
    const title = make("div", "name"), meta = make("span", "meta");
    list.meta.forEach(([kind, text]) => meta.append(make("span", kind, text)));
    meta.title = list.meta.map(([, text]) => text).join(" · ");
    title.append(...pins(list.pins), make("span", "caption", list.title), meta);
    if (data.ask && data.asked[i]) {
      const ask = make("button", "ask", "?");
      ask.type = "button";
      ask.title = data.ask;
      ask.setAttribute("aria-label", data.ask + " " + list.title);
      ask.onclick = () => root.send("asked", i);
      title.append(ask);
    }
    return title;
  });
  const placed = (list, hit) => keep([hit, list.color, list.zero, data.votes, data.grading, reasons], () => {
    const holder = make("div", "holder" + (hit.dropped ? " gone" : "") + (hit.lost ? " lost" : "") + (hit.pins?.length ? " pinned" : "") + (hit.told ? " told" : ""));
    const node = card(hit, list, root.data, tell);
    holder.setAttribute("role", "listitem");
    holder.style.setProperty("--d", hit.chip);
    holder.append(node);
    if (data.grading) holder.append(graded(hit, node, data.grading, give));
    node.onclick = () => press(root, node);
    holder.onpointerenter = () => root.light(hit.id);
    holder.onpointerleave = () => root.light(null);
    return holder;
  });
  const below = data.lists.some((list) => list.below);
  const sections = data.lists.map((list, i) => {
    const column = keep(["list", i], () => make("section", "list"));
    column.style.setProperty("--c", list.color);
    column.setAttribute("aria-label", list.title);
    const items = keep(["rows", i], () => make("div", "rows"));
    items.setAttribute("role", "list");
    items.setAttribute("aria-label", list.title);
    arrange(items, list.hits.map((hit) => placed(list, hit)));
    const ids = list.hits.map((hit) => hit.id), further = () => { root.before = ids; root.send("more", true); };
    arrange(column, [
      ...(list.place ? [keep(["place", i, list.place, list.why], () => placing(list))] : []),
      named(list, i),
      ...(below ? [keep(["below", i, list.below], () => make("div", "below", list.below))] : []),
      ...(list.note ? [make("div", "note", list.note)] : []),
      items,
      ...(list.end ? [keep([list.title, list.more, list.end, ids], () => rest(list, further))] : []),
    ]);
    return column;
  });
  arrange(tabs, data.lists.map(tab));
  arrange(grid, sections);
  const picture = keep(["picture"], () => make("div", "picture"));
  arrange(picture, [svg, grid]);
  arrange(root, [
    ...(data.lists.length > 1 ? [tabs] : []),
    ...(data.shared ? [keep([data.shared], () => make("div", "shared", data.shared))] : []),
    picture,
    ...(data.moves ? [keep([data.moves], () => make("div", "moves", data.moves))] : []),
    ...(data.only ? [keep([data.only], () => values(root, data.only, choose))] : []),
    live,
  ]);
  root.draw = () => curves(root, svg, sections.filter(shows));
  root.light = (doc) => light(svg, doc);
  root.onkeydown = keys(root);
  const layout = (first) => {
    measure(root);
    show(root, first);
    level(root);
    open(root);
    root.draw();
  };
  root.layout = layout;
  layout(Math.max(shown, 0));
  const watch = new ResizeObserver(() => layout(Number(root.dataset.shown)));
  watch.observe(root);
  swipe(root);
  const chips = root.querySelector(".values"), on = chips?.querySelector('[aria-pressed="true"]');
  if (chips) {  // at first the chosen value is in sight; in the next frame, which lays the page out once for all
    chips.onscroll = () => { root.left = chips.scrollLeft; };
    if (root.left ?? on !== chips.firstElementChild) {
      requestAnimationFrame(() => chips.scrollTo(root.left ?? on.offsetLeft - chips.offsetLeft, 0));
    }
  }
  if (focused?.dataset.at) [...root.querySelectorAll("[data-at]")].find((x) => x.dataset.at === focused.dataset.at)?.focus({ preventScroll: true });
  if (focused?.isConnected && root.getRootNode().activeElement !== focused) focused.focus({ preventScroll: true });
  if (column >= 0 && !focused.isConnected) {
    const cards = rows(grid.children[column]);
    const same = focused.matches(".card") && cards.find((c) => c.dataset.doc === focused.dataset.doc);
    if (same) step(root, same, same);
    if (focused.matches(".more")) {
      const come = root.before && cards.find((c) => !root.before.includes(c.dataset.doc));
      if (come) root.before = null;
      (come || grid.children[column]?.querySelector(".more"))?.focus({ preventScroll: true });
    }
  }
  return () => watch.disconnect();
}

// On a touch screen where one list is shown at a time: to the left for the next one, to the right for the one before.
const swipe = (root) => {
  let from = null;
  root.ontouchstart = (event) => { from = [event.touches[0].clientX, event.touches[0].clientY]; };
  root.ontouchend = (event) => {
    if (!from || !root.classList.contains("alone")) return;
    const [x, y] = [event.changedTouches[0].clientX - from[0], event.changedTouches[0].clientY - from[1]];
    if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) root.layout(Number(root.dataset.shown) + (x < 0 ? 1 : -1));
    from = null;
  };
};
