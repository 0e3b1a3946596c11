// A button that copies a link, or else the address of the page as it stands at the moment of the click.  Where the page is
// not served safely (a class on the teacher's machine), browsers offer no clipboard but that of a marked field.
const toClipboard = async (text) => {
  try {
    await navigator.clipboard.writeText(text); // begun in the click, as Safari asks
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
};

export default function ({ data: [data], parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    parentElement.append(button);
  }
  const label = (text, done) => {
    button.textContent = text;
    button.classList.toggle("done", done);
  };
  label(data.label, false);
  button.classList.toggle("worded", !data.icon);
  button.title = data.label;
  button.onclick = async () => {
    await toClipboard(data.link || window.location.href);
    label(data.done, true);
    setTimeout(() => label(data.label, false), 1600);
  };
}
