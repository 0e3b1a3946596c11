// What was guessed is kept by the browser; before a projector the keys of a presenter go to the next step and back.
const NAME = "retrieval-lab-course";

export default function ({ data, setTriggerValue }) {
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
  const TURN = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Escape: "light" };
  window.addEventListener("keydown", (e) => {
    const turn = TURN[e.key];
    if (!turn || !lab.keys || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, textarea, [role=slider]")) return;
    const button = document.querySelector(`.st-key-course-${turn} button`);
    if (!button) return;
    e.preventDefault();
    button.click();
  });
}
