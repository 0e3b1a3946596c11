// One press of Back undoes one thing that the visitor did.
//
// The address as it stands when a page has been drawn for the first time takes the place of the link that led there,
// and what the visitor does in quick succession is one entry: Streamlit would make an entry of every change of the
// address.
const PAUSE = 1000;
const PATIENCE = 3000; // milliseconds that a typed question may take to arrive
const PHONE = 768; // pixels of a window in which the menu covers the page
const LINKS = '.st-key-menu-path [data-testid="stPageLink-NavLink"]';

// A page that was chosen is seen: Streamlit does not close the sidebar on a phone, which covers the page.
const uncover = ({ target }) => {
  if (window.innerWidth > PHONE || !target.closest?.(LINKS)) return;
  document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
};

// Sends a question that was typed and not sent; says whether there was one.
const send = () => {
  const form = document.querySelector('[data-testid="stMain"] [data-testid="stForm"]:has([data-testid="stTextInput"])');
  const field = form?.querySelector("input"), button = form?.querySelector('[data-testid="stFormSubmitButton"] button');
  if (!field || !button || window.__lab_history.typed !== field) return false;
  window.__lab_history.typed = null;
  button.click();
  return true;
};

// It goes along: it is sent before the page that was clicked is opened, and before another language or corpus is chosen.
const carry = (event) => {
  const link = event.target.closest?.(LINKS), before = window.location.search, start = Date.now();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button || !send()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const follow = () => {
    const arrived = window.location.search !== before;
    if (arrived || Date.now() - start > PATIENCE) link.click();
    else setTimeout(follow, 50);
  };
  setTimeout(follow, 50);
};

export default function ({ data: [data] }) {
  const { pushState, replaceState } = History.prototype;
  const before = window.__lab_history;
  const lab = (window.__lab_history = before ?? { input: 0, turn: 0, written: 0 });
  const shown = () => {
    const { pathname, search } = window.location;
    const here = pathname.split("/").pop() === (lab.data.page === "home" ? "" : lab.data.page);
    if (lab.done === lab.data.at || !here || search.replace(/^\?/, "") !== lab.data.link) return;
    lab.done = lab.data.at;
    const to = pathname + (lab.data.now ? "?" + lab.data.now : "");
    replaceState.call(window.history, window.history.state, "", to);
  };
  lab.data = data;
  shown();
  if (before) return;
  const acted = () => {
    const now = Date.now();
    if (now - lab.input >= PAUSE) lab.turn += 1;
    lab.input = now;
  };
  for (const kind of ["pointerdown", "keydown", "input"]) window.addEventListener(kind, acted, true);
  window.addEventListener("input", ({ target }) => {
    const main = target.closest?.('[data-testid="stMain"] [data-testid="stForm"]');
    if (main) lab.typed = target.value.trim() ? target : null;
  }, true);
  const chooses = () => document.querySelector('[data-testid="stSidebar"] [role="combobox"][aria-expanded="true"]');
  window.addEventListener("pointerup", ({ target }) => { if (target.closest?.('[role="option"]') && chooses()) send(); }, true);
  window.addEventListener("keydown", ({ key }) => { if (key === "Enter" && !(chooses() && send())) lab.typed = null; }, true);
  window.addEventListener("submit", () => { lab.typed = null; }, true);
  window.addEventListener("click", carry, true);
  window.addEventListener("click", uncover);
  const arrived = () => { lab.written = lab.turn; lab.input = 0; };
  window.addEventListener("popstate", arrived, true);
  window.history.pushState = function (state, unused, url) {
    const elsewhere = new URL(url, window.location.href).pathname !== window.location.pathname;
    const own = elsewhere || lab.turn !== lab.written;
    (own ? pushState : replaceState).call(window.history, state, unused, url);
    lab.written = lab.turn;
    if (elsewhere) {
      arrived();
      shown(); // its first address was there before its path
    }
  };
}
