// The lessons of a page: one button, and a menu in groups, each lesson with its title and its claim in one line.  A click
// (or Enter) reports a lesson as the trigger "played".  Typing filters; the arrow keys go from lesson to lesson; Escape
// and a click beside the menu close it.  All text arrives as data and is set with textContent.
const item = (lesson, data, play) => {
  const node = make("button", "item" + (lesson.key === data.playing ? " playing" : ""));
  node.type = "button";
  node.dataset.key = lesson.key;
  node.append(make("b", "", lesson.title));
  const state = lesson.key === data.playing ? data.words.playing : lesson.seen ? data.words.seen : "";
  if (state) node.append(make("em", "", "✓ " + state));
  node.append(make("span", "", lesson.claim));
  node.onclick = () => play(lesson.key);
  return node;
};

const group = (own, data, play) => {
  const node = make("details", "group"), head = make("summary", ""), items = make("div", "items");
  node.open = own.open;
  head.append(make("b", "", own.title), make("span", "about", own.about), make("span", "count", own.lessons.length));
  items.append(...own.lessons.map((lesson) => item(lesson, data, play)));
  node.append(head, items);
  return node;
};

const filter = (panel, wanted) => {
  for (const own of panel.querySelectorAll(".group")) {
    let left = 0;
    for (const node of own.querySelectorAll(".item")) {
      const fits = node.textContent.toLowerCase().includes(wanted);
      node.hidden = !fits;
      left += fits;
    }
    own.hidden = !left;
    own.open = wanted ? left > 0 : own.dataset.open === "true";
  }
};

const seen = (panel) => [...panel.querySelectorAll(".item, summary")].filter((x) => x.getClientRects().length);

const near = (nodes, from, across) => {
  const at = from.getBoundingClientRect();
  const beside = nodes.filter((x) => Math.abs(x.getBoundingClientRect().top - at.top) < 8 && x !== from);
  const side = beside.find((x) => (x.getBoundingClientRect().left > at.left) === across > 0);
  return side ?? from;
};

const walk = (panel, event) => {
  const nodes = seen(panel), now = panel.getRootNode().activeElement, at = nodes.indexOf(now);
  const typing = now?.tagName === "INPUT";
  const below = nodes.find((x) => at < 0 || x.getBoundingClientRect().top > now.getBoundingClientRect().top + 8);
  const above = nodes.filter((x) => at >= 0 && x.getBoundingClientRect().top < now.getBoundingClientRect().top - 8).at(-1);
  const to = {
    ArrowDown: () => below, ArrowUp: () => above ?? panel.querySelector("input"),
    ArrowRight: () => !typing && near(nodes, now, 1), ArrowLeft: () => !typing && near(nodes, now, -1),
  }[event.key]?.();
  if (!to) return;
  event.preventDefault();
  to.focus();
};

// Under the button, with its right edge where there is room; on a phone over the lower part of the screen.
const put = (panel, button) => {
  const at = button.getBoundingClientRect(), width = Math.min(736, window.innerWidth - 24);
  const sheet = window.innerWidth < 640;
  panel.classList.toggle("sheet", sheet);
  panel.style.width = (sheet ? window.innerWidth : width) + "px";
  panel.style.left = (sheet ? 0 : Math.max(12, Math.min(at.right - width, window.innerWidth - width - 12))) + "px";
  panel.style.top = sheet ? "auto" : at.bottom + 6 + "px";
  panel.style.bottom = sheet ? "0" : "auto";
  panel.style.maxHeight = (sheet ? window.innerHeight * 0.82 : window.innerHeight - at.bottom - 18) + "px";
};

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".menu");
  if (!root) {
    root = make("div", "menu");
    const button = make("button", "opener"), panel = make("div", "panel");
    button.type = "button";
    panel.popover = "auto";
    button.popoverTargetElement = panel;
    root.append(button, panel);
    parentElement.append(root);
  }
  const [button, panel] = root.children, icon = make("span", "icon");
  icon.setAttribute("aria-hidden", "true");
  button.replaceChildren(icon, make("span", "", data.words.lessons), make("em", "", data.number));
  button.setAttribute("aria-haspopup", "dialog");
  const play = (key) => {
    panel.hidePopover();
    setTriggerValue("played", key);
  };
  panel.setAttribute("role", "dialog");
  panel.setAttribute("aria-label", data.words.lessons);
  const fill = () => {
    const head = make("div", "head"), find = make("input", "find"), close = make("button", "close", "✕");
    find.type = "search";
    find.placeholder = data.words.find;
    find.setAttribute("aria-label", data.words.find);
    find.oninput = () => filter(panel, find.value.trim().toLowerCase());
    close.type = "button";
    close.setAttribute("aria-label", data.words.close);
    close.onclick = () => panel.hidePopover();
    head.append(find, make("span", "", data.words.hint), close);
    const groups = data.groups.map((own) => group(own, data, play));
    groups.forEach((node) => { node.dataset.open = node.open; });
    panel.replaceChildren(head, ...groups);
    if (data.needs.length) panel.append(...data.needs.map((text) => make("p", "needs", text)));
  };
  if (panel.matches(":popover-open")) fill();
  panel.onbeforetoggle = (event) => {
    if (event.newState !== "open") return;
    fill();
    put(panel, button);
  };
  panel.ontoggle = (event) => {
    button.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open" && window.innerWidth >= 640) panel.querySelector("input").focus();
  };
  panel.onkeydown = (event) => walk(panel, event);
  // From anywhere but a field “l” opens the menu.
  const shortcut = (event) => {
    const where = event.composedPath()[0];
    if (event.key !== "l" || event.ctrlKey || event.metaKey || event.altKey || !where.matches) return;
    if (where.matches("input, textarea, select, [contenteditable]") || panel.matches(":popover-open")) return;
    event.preventDefault();
    panel.showPopover();
  };
  document.addEventListener("keydown", shortcut);
  return () => document.removeEventListener("keydown", shortcut);
}
