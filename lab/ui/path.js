// The path of a query, from question to answer: one box per step; a click goes to its page.
export default function ({ data: [data], parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".path");
  if (!root) {
    root = make("div", "path");
    parentElement.append(root);
  }
  const groups = data.groups.map((group, i) => {
    const box = make("div", "stage");
    box.style.setProperty("--c", group.color);
    box.append(make("div", "verb", group.title));
    for (const step of group.steps) {
      const node = make("button", "step");
      node.type = "button";
      node.append(make("b", "", step.title), make("span", "", step.text));
      if (step.value) node.append(make("em", "", step.value));
      node.onclick = () => setTriggerValue("go", step.page);
      box.append(node);
    }
    return box;
  });
  root.replaceChildren(...groups);
}
