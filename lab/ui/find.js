// One field that finds: a button in the sidebar, and a panel with the field and its results, also opened by Ctrl-K and,
// outside fields, by “/”.  What is typed is reported as the trigger "typed", a chosen result as "chosen".
// The arrow keys go from result to result; Enter in the field opens the first.  All text is set with textContent.
const named = (row) => {
  const cell = make("span", "name"), [from, to] = row.mark;
  cell.append(row.name.slice(0, from));
  if (to > from) cell.append(make("mark", "", row.name.slice(from, to)));
  cell.append(row.name.slice(to));
  const origin = [row.origin, row.note].filter(Boolean).join(" · ");
  if (origin) cell.append(make("small", "", origin));
  return cell;
};

// A usual link: with Ctrl, ⌘, Shift or the middle button the browser opens it elsewhere.
const result = (row, before, open) => {
  const node = make("a", "find-row"), title = make("span");
  node.href = row.link;
  title.append(make("b", "", row.title), make("small", "", row.about));
  node.append(make("span", "", before?.kind === row.kind ? "" : row.kind), title, named(row));
  node.setAttribute("aria-label", [row.kind, row.title, row.name, row.origin].filter(Boolean).join(", "));
  node.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(row.id);
  };
  return node;
};

const place = (panel, button) => {
  const at = button.getBoundingClientRect();
  const seen = at.width > 60 && at.left >= 0 && at.bottom <= window.innerHeight;
  const top = seen ? at.top : 56;
  panel.style.left = (seen ? Math.min(at.left, Math.max(8, window.innerWidth - 628)) : 8) + "px";
  panel.style.top = top + "px";
  panel.style.maxHeight = window.innerHeight - top - 12 + "px";
};

export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".find-root");
  if (!root) {
    root = make("div", "find-root");
    const button = make("button", "find-button"), panel = make("div", "find-panel"), icon = make("span", "icon");
    const field = make("input"), count = make("p", "count"), results = make("div", "results");
    icon.setAttribute("aria-hidden", "true");
    count.setAttribute("role", "status");
    button.type = "button";
    button.append(icon, make("span"), make("kbd", "", "/"));
    panel.popover = "auto";
    button.popoverTargetElement = panel;
    panel.append(field, count, results);
    root.append(button, panel);
    parentElement.append(root);
  }
  const [button, panel] = root.children, [field, count, results] = panel.children, { words } = data;
  const open = (id) => {
    clearTimeout(root.timer);  // another message would make Streamlit forget the click
    panel.hidePopover();
    if (window.innerWidth < 768) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
    setTriggerValue("chosen", id);
  };
  const report = () => {
    clearTimeout(root.timer);
    const text = field.value.trim();
    if (root.reported !== text) setTriggerValue("typed", (root.reported = text));
  };
  button.children[1].textContent = words.find;
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-keyshortcuts", "/ Control+K Meta+K");
  panel.setAttribute("role", "dialog");
  panel.setAttribute("aria-label", words.find);
  field.placeholder = words.hint;
  field.setAttribute("aria-label", words.hint);
  const typed = field.value.trim();
  if (typed === data.text) {
    results.replaceChildren(...data.rows.map((row, i) => result(row, data.rows[i - 1], open)));
    count.textContent = !typed ? "" : data.rows.length ? words.count : words.nothing;
    if (root.enter && typed) results.firstElementChild?.click();
    root.enter = false;
  }
  field.oninput = () => {
    root.enter = false;
    clearTimeout(root.timer);
    root.timer = setTimeout(report, 150);
  };
  panel.onbeforetoggle = (event) => { if (event.newState === "open") place(panel, button); };
  panel.ontoggle = (event) => { if (event.newState === "open") { field.focus(); field.select(); } };
  panel.onkeydown = (event) => {
    const stops = [field, ...results.children], now = stops.indexOf(panel.getRootNode().activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && now === 0) {
      root.enter = field.value.trim() !== data.text;
      if (root.enter) report();
      else results.firstElementChild?.click();
    }
    if (!step) return;
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, now + step))].focus();
  };
  const shortcut = (event) => {
    const at = event.composedPath()[0], writes = at.matches?.("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && !writes;
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!k && (!slash || event.ctrlKey || event.metaKey || event.altKey)) return;
    event.preventDefault();
    if (panel.matches(":popover-open")) field.focus();
    else panel.showPopover();
  };
  document.addEventListener("keydown", shortcut);
  return () => document.removeEventListener("keydown", shortcut);
}
