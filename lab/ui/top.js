// The page begins at its top again whenever another step is shown: on a phone the way on is below a long list.
export default function ({ data: [data] }) {
  const lab = (window.__lab_top ??= { step: data.step });
  if (lab.step === data.step) return;
  lab.step = data.step;
  document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
}
