// The first pin of a lesson's sentence comes into sight, below the sentence, which stays at the head of the window: once
// for every sentence, since a visitor who scrolls away wants to be there.
const PATIENCE = 8000;

const pinned = (parts) => {
  const roots = [...document.querySelectorAll('[data-testid="stMain"] *')].map((x) => x.shadowRoot).filter(Boolean);
  const cards = roots.flatMap((root) => [...root.querySelectorAll(".card .pin, .name .pin")]).map((x) => x.closest(".card, .name"));
  return [...cards, ...parts.map((selector) => document.querySelector(selector))].filter((x) => x?.getClientRects().length);
};

export default function ({ data }) {
  if (window.__lab_sentence === data.step) return;
  window.__lab_sentence = data.step;
  const start = Date.now();
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const show = () => {
    if (window.__lab_sentence !== data.step) return;
    const found = pinned(data.parts)[0];
    if (!found) {
      if (Date.now() - start < PATIENCE) setTimeout(show, 100);
      return;
    }
    const top = found.getBoundingClientRect().top, bottom = found.getBoundingClientRect().bottom;
    const bar = document.querySelector('[class*="st-key-claim-"]')?.getBoundingClientRect().bottom ?? 0;
    if (top > bar + 8 && bottom < window.innerHeight) return;
    const main = document.querySelector('[data-testid="stMain"]'), height = document.querySelector('[class*="st-key-claim-"]')?.offsetHeight ?? 0;
    main.scrollBy({ top: top - height - 110, behavior: still ? "auto" : "smooth" });
  };
  setTimeout(show, 150);
}
