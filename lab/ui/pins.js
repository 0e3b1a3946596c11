// The pins of a lesson's sentence come into sight, all of them where they fit below the sentence, which stays at the head
// of the window: once for every sentence and whenever the window changes, since who scrolls away wants to be there.
// A click (or Enter) on what became of an expectation brings its own pin into sight.
const PATIENCE = 8000;
const MAIN = '[data-testid="stMain"]', BOX = '[class*="st-key-claim-"]', GAP = 12, LINE = 34;

const pins = (mark) => {
  const roots = [...document.querySelectorAll(MAIN + " *")].map((x) => x.shadowRoot).filter(Boolean);
  const found = roots.flatMap((root) => [...root.querySelectorAll(".card .pin, .name .pin")]);
  const wanted = found.filter((x) => mark === undefined || x.textContent === mark).map((x) => x.closest(".card, .name"));
  return wanted.filter((x) => x.getClientRects().length);
};

const parts = (all, mark) => {
  const wanted = Object.entries(all).filter(([own]) => mark === undefined || own === mark);
  return wanted.map(([, selector]) => document.querySelector(selector)).filter((x) => x?.getClientRects().length);
};

// Of a card its first line, with the name of its list above it where there is room; of a part of the page its beginning.
const edges = (named) => (node) => {
  const { top, bottom } = node.getBoundingClientRect();
  if (!node.matches(".card, .name")) return [top - GAP, Math.min(bottom, top + 160)];
  const name = node.closest(".list")?.querySelector(".name")?.getBoundingClientRect().top ?? top;
  return [named ? Math.max(name, top - 60) : top - 2, Math.min(bottom, top + LINE)];
};

const bring = (nodes) => {
  const box = document.querySelector(BOX), main = document.querySelector(MAIN);
  const head = Math.max(main.getBoundingClientRect().top, 0) + 56 + (box?.offsetHeight ?? 0) + GAP;
  const room = window.innerHeight - head - GAP;
  const placed = (named) => nodes.map(edges(named)).sort((a, b) => a[0] - b[0]);
  const fits = (places) => Math.max(...places.map(([, bottom]) => bottom)) - places[0][0] <= room;
  const every = [true, false].map(placed).find(fits) ?? placed(true), start = every[0][0];
  const inside = every.filter(([, bottom]) => bottom - start <= room);
  const end = Math.max(every[0][1], ...inside.map(([, bottom]) => bottom));
  if (start >= head && end <= window.innerHeight - GAP) return;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  main.scrollBy({ top: start - head, behavior: still ? "auto" : "smooth" });
};

export default function ({ data: [data] }) {
  const lab = (window.__lab_lesson ??= {});
  const fresh = lab.step !== data.step;
  lab.step = data.step;
  lab.parts = data.parts;
  const show = (start, mark) => {
    if (lab.step !== data.step) return;
    const nodes = [...pins(mark), ...parts(lab.parts, mark)];
    if (nodes.length) bring(nodes);
    else if (Date.now() - start < PATIENCE) setTimeout(() => show(start, mark), 100);
  };
  for (const line of document.querySelectorAll(".verdicts [data-mark]")) {
    line.onclick = () => show(0, line.dataset.mark);
    line.onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); line.onclick(); } };
  }
  if (!fresh) return;
  lab.again = () => setTimeout(() => show(0), 250);
  setTimeout(() => show(Date.now()), 150);
  if (lab.listens) return;
  lab.listens = true;
  window.addEventListener("resize", () => { clearTimeout(lab.timer); lab.timer = setTimeout(() => lab.again(), 250); });
}
