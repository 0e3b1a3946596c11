// What the browser keeps of a visitor (their token, the name of their corpus, how many grades they gave), and a word
// where no server answers.

// What scrolls sideways (a wide chart in a narrow window, a long formula, a guide's table) takes the focus while there is
// something to scroll: the arrows move it.
const SCROLLING = [".katex-display", ".st-key-guide-drawer table", '[data-testid="stElementContainer"]'];
const WIDE = SCROLLING.map((x) => `[data-testid="stMain"] ${x}`).join();
const reach = (label) => {
  for (const box of document.querySelectorAll(WIDE)) {
    const scrolls = box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(box).overflowX);
    if (scrolls === box.hasAttribute("data-reached")) continue;
    for (const [name, value] of [["data-reached", ""], ["tabindex", 0], ["role", "group"], ["aria-label", label]]) {
      if (name === "role" && box.tagName === "TABLE") continue;  // it stays a table
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
};

// A picture says in words what it shows (`lab.ui.figures.described`), as soon as it is drawn: a rerun may draw it anew.
const pictures = () => {
  for (const plot of document.querySelectorAll('[data-testid="stMain"] .js-plotly-plot')) {
    const said = plot.layout?.meta, drawing = plot.querySelector(".main-svg");
    if (!said || !drawing || drawing.getAttribute("aria-label") === said) continue;
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", said);
    for (const other of plot.querySelectorAll(".main-svg:not([aria-label])")) other.setAttribute("aria-hidden", "true");
  }
};

// What still stands of the run before fades where a run is long (`lab.ui.layout.frame.STYLE`).  Streamlit's own fade makes a
// layer of every element of the page as soon as any run begins.
const LATE = 500;
let late = 0;
const fade = () => {
  const running = document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-script-state") === "running";
  if (running) return (late ||= setTimeout(() => document.body.classList.add("lab-late"), LATE));
  clearTimeout(late);
  late = 0;
  document.body.classList.remove("lab-late");
};

// A browser keeps no plain cookie of a page inside a page of another site.  Over https it keeps one for this pair of
// sites; else the memory of the tab is left, which survives a reload, and which some browsers refuse as well.
const cookie = (name) => document.cookie.split("; ").find((c) => c.startsWith(name + "="))?.slice(name.length + 1) ?? "";
const RULES = [`SameSite=Strict${location.protocol === "https:" ? "; Secure" : ""}`, "SameSite=None; Secure; Partitioned"];
const cookies = (rule) => ({
  lasting: true,
  read: cookie,
  write: (name, value, seconds) => {
    const end = !value ? "; max-age=0" : seconds ? `; max-age=${seconds}` : "";
    document.cookie = `${name}=${value}; path=/; ${rule}${end}`;
  },
});
const tab = { lasting: true, read: (n) => sessionStorage.getItem(n) ?? "", write: (n, v) => sessionStorage.setItem(n, v) };
const nowhere = { lasting: false, read: () => "", write: () => {} };
const works = (place) => {
  try {
    place.write("lab_probe", "1", 0);
    const kept = place.read("lab_probe") === "1";
    place.write("lab_probe", "", 0);
    return kept;
  } catch {
    return false;
  }
};
const keeper = () => (window.__lab_keeper ??= [...RULES.map(cookies), tab].find(works) ?? nowhere);

export default function ({ data: [data], setStateValue, setTriggerValue }) {
  const place = keeper();
  const kept = place.read(data.name);
  if (kept && kept !== data.token) setStateValue("token", kept);
  else if (!kept || data.seconds) place.write(data.name, data.token, data.seconds); // its days begin anew
  for (const what of ["corpus", "grades"]) {
    const name = `${data.name}_${what}`, value = encodeURIComponent(data[what]);
    if (data.seconds || place.read(name) !== value) place.write(name, value, data.seconds);
  }
  const blocked = data.uploads && !cookie(data.uploads) ? "uploads" : place.lasting ? "" : "memory";
  if (blocked !== data.blocked) setStateValue("blocked", blocked);
  const lab = (window.__retrieval_lab ??= { away: 0, timer: 0 });
  lab.said = data.away;
  lab.back = () => setTriggerValue("back", true); // the page as this server knows it: perhaps it is another one
  if (!lab.timer) new MutationObserver(pictures).observe(document.body, { childList: true, subtree: true });
  pictures();
  const away = () => {
    const state = document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-connection-state");
    return Boolean(state) && state !== "CONNECTED";
  };
  const watched = { subtree: true, attributeFilter: ["data-test-connection-state", "data-test-script-state"] };
  const changed = () => {
    lab.lost ||= away(); // however short
    fade();
  };
  if (!lab.timer) new MutationObserver(changed).observe(document.body, watched);
  lab.timer ||= setInterval(() => {
    reach(data.wide);
    lab.away = away() ? lab.away + 1 : 0;
    lab.lost ||= lab.away > 0;
    let note = document.getElementById("lab-away");
    if (lab.lost && !lab.away) {
      lab.lost = false;
      note?.remove();
      lab.back();
    }
    if (note || lab.away < 3) return;
    note = document.createElement("div");
    note.id = "lab-away";
    note.setAttribute("role", "status");
    note.textContent = lab.said;
    note.style.cssText = "position:fixed;left:50%;top:0.6rem;transform:translateX(-50%);z-index:1000000;" +
      "max-width:90vw;padding:0.5rem 1rem;border-radius:8px;background:#92400e;color:#fff;font:15px sans-serif;";
    document.body.append(note);
  }, 500);
}
