// A button that copies the address of the page as it stands at the moment of the click.
export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    parentElement.append(button);
  }
  button.textContent = data.label;
  button.onclick = async () => {
    await toClipboard(window.location.href);
    button.textContent = data.done;
    setTimeout(() => { button.textContent = data.label; }, 1600);
  };
}
