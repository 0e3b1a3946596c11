// One passage of a pool after the other, judged by the keys 0 to 3: without its place and without who has found it.
// Every grade is sent until the server says that it has it (data.seen), and the tab keeps it until then: none is lost,
// however fast one types and whenever the page is loaded anew.
const KEPT = "retrieval_lab_judge";
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=combobox], "
  + "[role=listbox], [role=slider], [role=spinbutton], [role=dialog], [data-testid=stPopoverBody], .card";
// What has its own use for digits while the focus is in it.
const CALM = 250;  // milliseconds: the server ends a run that a button began, with its click, if grades follow at once
const focused = () => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
};

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".judge");
  if (!root) {
    root = make("section", "judge");
    root.tabIndex = 0;
    const kept = JSON.parse(sessionStorage.getItem(KEPT) || "null");
    Object.assign(root, kept || { client: Math.random().toString(36).slice(2), sent: 0, pending: [] });
    root.given = {};
    parentElement.append(root);
    // The keys are heard on the whole page: a click on a heading, a fold or the guide must not silence them.
    const events = { keydown: (e) => root.press(e), focusin: () => root.hint(), focusout: () => setTimeout(() => root.hint()), blur: () => root.hint(), focus: () => root.hint(), click: () => { root.clicked = Date.now(); } };
    for (const [kind, act] of Object.entries(events)) {
      const heard = (e) => root.isConnected ? act(e) : window.removeEventListener(kind, heard);
      window.addEventListener(kind, heard);
    }
  }
  const keep = () => sessionStorage.setItem(KEPT, JSON.stringify({ client: root.client, sent: root.sent, pending: root.pending }));
  const send = () => {
    if (Date.now() - root.clicked < CALM) return later();
    setTriggerValue("graded", { client: root.client, clicks: root.pending });
    clearTimeout(root.timer);  // a run that was cut short may not have seen it
    root.timer = setTimeout(() => { if (root.pending.length && root.isConnected) root.send(); }, root.wait);
    root.wait = Math.min(2 * root.wait, 30000);
  };
  root.send = send;
  const later = () => { root.soon ||= setTimeout(() => { root.soon = 0; root.send(); }, CALM); };  // several keys are one message
  const before = root.pending.length;
  root.pending = root.pending.filter((click) => click.n > (data.seen[root.client] || 0));
  if (root.pending.length < before || !root.wait) root.wait = 2000;
  keep();
  for (const p of data.passages) root.given[p.id] = p.grade;
  for (const x of root.pending) if (x.question === data.question && x.rater === data.rater) root.given[x.doc] = x.grade;

  if (root.pool !== data.pool) {  // another question, other lists, another rater
    root.pool = data.pool;
    root.order = [];
    const first = data.passages.findIndex((p) => !Number.isInteger(root.given[p.id]));
    root.at = first < 0 ? 0 : first;
    root.fresh = true;
    if (root.pending.length) root.again = true;  // what was on its way when the page was left
  }

  const grade = (doc, value) => {
    root.given[doc] = value;
    root.pending.push({ n: ++root.sent, doc, grade: value, question: data.question, rater: data.rater });
    keep();
    later();
  };
  const go = (i) => { root.at = Math.max(0, Math.min(data.passages.length - 1, i)); draw(); };
  const open = (i) => !Number.isInteger(root.given[data.passages[i].id]);
  const judge = (value) => {
    const doc = data.passages[root.at].id;
    root.order.push({ doc, before: root.given[doc] ?? null });
    grade(data.passages[root.at].id, value);
    const left = data.passages.map((_, i) => i).filter(open);
    root.at = left.find((i) => i > root.at) ?? left[0] ?? root.at;
    draw();
  };
  const undo = () => {
    const last = root.order.pop();
    if (!last) return;
    grade(last.doc, last.before);
    root.at = data.passages.findIndex((p) => p.id === last.doc);
    draw();
  };
  root.press = (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented) return;
    const path = e.composedPath().filter((node) => node instanceof Element);
    if (path.some((node) => node.matches(TYPING))) return;
    const value = Math.max("0123".indexOf(e.key), "０１２３".indexOf(e.key));
    const ours = path.includes(root) || path[0] === document.body;
    if (value >= 0) { if (!e.repeat) judge(value); }  // a finger that rests on a key judges one passage
    else if (!ours) return;
    else if (e.key === "ArrowRight") go(root.at + 1);
    else if (e.key === "ArrowLeft") go(root.at - 1);
    else if (e.key === "Backspace" || e.key === "u") undo();
    else return;
    e.preventDefault();
  };
  root.hint = () => {
    const keys = root.querySelector(".keys"), away = !document.hasFocus() || !!focused()?.closest(TYPING);
    if (!keys) return;
    keys.classList.toggle("away", away);
    keys.textContent = away ? data.words.away : data.words.keys;
  };

  const draw = () => {
    const p = data.passages[root.at], n = data.passages.length;
    const done = data.passages.filter((x) => Number.isInteger(root.given[x.id])).length;
    const head = make("div", "head");
    head.append(make("b", "question", data.question), make("span", "progress", data.words.progress.replace("{done}", done).replace("{n}", n)));
    const steps = make("div", "steps");
    data.passages.forEach((x, i) => {
      const own = root.given[x.id], step = make("button", "step", Number.isInteger(own) ? String(own) : "·");
      step.type = "button";
      step.dataset.grade = Number.isInteger(own) ? own : "";
      step.setAttribute("aria-label", data.words.passage.replace("{i}", i + 1).replace("{n}", n));
      step.setAttribute("aria-pressed", String(i === root.at));
      step.onclick = () => { go(i); root.focus({ preventScroll: true }); };
      steps.append(step);
    });
    const body = make("div", "body");
    body.tabIndex = 0;
    body.setAttribute("role", "region");
    body.setAttribute("aria-label", p.title);
    body.append(make("div", "heading", p.title));
    if (p.gloss) body.append(make("div", "gloss", p.gloss));
    const text = make("div", "text");
    for (const [piece, on] of p.text) text.append(on ? make("mark", "", piece) : document.createTextNode(piece));
    body.append(text);
    const row = make("div", "grades");
    data.words.grades.forEach((word, value) => {
      const button = make("button", "grade");
      button.type = "button";
      button.append(make("kbd", "", String(value)), document.createTextNode(" " + word));
      button.setAttribute("aria-pressed", String(root.given[p.id] === value));
      button.onclick = () => { judge(value); root.focus({ preventScroll: true }); };
      row.append(button);
    });
    const foot = make("div", "foot");
    for (const [word, does] of [[data.words.back, () => go(root.at - 1)], [data.words.next, () => go(root.at + 1)], [data.words.undo, undo]]) {
      const button = make("button", "quiet", word);
      button.type = "button";
      button.onclick = () => { does(); root.focus({ preventScroll: true }); };
      foot.append(button);
    }
    foot.append(make("span", "keys"));
    root.setAttribute("aria-label", data.words.label);
    root.dataset.done = done;
    root.dataset.doc = p.id;
    const within = root.contains(focused());
    root.replaceChildren(head, steps, body, row, foot);
    if (within) root.focus({ preventScroll: true });  // what had the focus is gone
    root.hint();
  };
  draw();
  if (root.again && root.pending.length) send();
  root.again = false;
  if (root.fresh) {
    root.fresh = false;
    const busy = document.activeElement && document.activeElement.matches("input, textarea, [contenteditable]");
    if (!busy) root.focus({ preventScroll: true });
  }
}
