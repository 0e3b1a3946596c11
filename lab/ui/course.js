// What was guessed is kept by the browser; before a projector the keys of a presenter go to the next step and back.
const NAME = "retrieval-lab-course";

export default function ({ data: [data], setTriggerValue }) {
  let kept = "";
  try {
    kept = localStorage.getItem(NAME) ?? "";
    if (data.guesses) localStorage.setItem(NAME, data.guesses);
  } catch { /* a browser that keeps nothing forgets the guesses when it is closed */ }
  if (!data.guesses && kept && kept !== "{}") setTriggerValue("kept", kept);
  const lab = (window.__lab_course ??= {});
  lab.keys = data.keys;
  if (lab.listens) return;
  lab.listens = true;
  const TURN = { ArrowRight: "next", PageDown: "next", " ": "next", ArrowLeft: "back", PageUp: "back", Escape: "light" };
  window.addEventListener("keydown", (e) => {
    const turn = TURN[e.key];
    if (!turn || !lab.keys || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (e.target.closest?.("input, textarea, [role=slider]")) return;
    if (e.key === " " && e.target.closest?.("button, a, summary, [role=button]")) return;  // it presses that one
    if (e.key === "Escape" && document.querySelector("[data-testid=stPopoverBody]")) return;  // it closes that one
    if (!place(turn)) return;
    e.preventDefault();
    waiting.push(turn);
    if (waiting.length === 1) press();
  });
}

const place = (turn) => document.querySelector(`.st-key-course-${turn} button`);

// Keys that come while the page still runs wait for it: of two clicks within one run, only one would count.
const waiting = [];
const press = () => {
  const runs = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "running";
  if (!runs) place(waiting[0])?.click();
  setTimeout(() => {
    if (!runs) waiting.shift();
    if (waiting.length) press();
  }, 150);
};
