// The pictures of the page as files, made by this browser alone.

const OWN = ["lists", "flow", "path", "answers", "tokens", "cuts", "alignment", "squares"]; // what components draw

const paper = () => getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;

// A figure on paper, in a font that every machine has.  Where a knob stands is drawn over a figure, not in it
// (`lab.ui.figures.charts`): in a file it is a part of it.
const HEAD = 34; // pixels above a picture for the question and the corpus
// Nothing to press in a picture; the curves were drawn for rows as high as they are.
const HIDDEN = ".grades, .ask, .vote { opacity: 0 !important; } .more, .only { display: none !important; }";

const whole = (plot, about) => {
  const font = { ...plot.layout.font, family: "sans-serif" };
  const size = { ...font, size: 14 }, text = about.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const title = { text, x: 0, xanchor: "left", xref: "container", pad: { l: 10 }, y: 1, yanchor: "top", yref: "container", font: size };
  title.pad.t = 8;
  const margin = { ...plot._fullLayout?.margin, ...plot.layout.margin };
  if (about) margin.t = (margin.t ?? 0) + HEAD;
  const layout = { ...plot.layout, font, paper_bgcolor: paper(), ...(about ? { title, margin } : {}) };
  const line = plot.closest('[data-testid="stVerticalBlock"]')?.querySelector(".lab-now");
  if (!line) return { data: plot.data, layout };
  const x = Number(line.dataset.share), color = getComputedStyle(line).color;
  const at = { xref: "paper", yref: "paper" };
  const shape = { type: "line", ...at, x0: x, x1: x, y0: 0, y1: 1, line: { color, width: 2, dash: "dash" } };
  const note = { ...at, x, y: 1, yanchor: "bottom", showarrow: false, text: line.textContent, font: { color, size: 12 } };
  return {
    data: plot.data,
    layout: {
      ...layout,
      shapes: [...(layout.shapes ?? []), shape],
      annotations: [...(layout.annotations ?? []), note],
    },
  };
};

const chart = (plot, about) => async (format) => {
  const width = plot.clientWidth, height = plot.clientHeight + (about ? HEAD : 0);
  return window.Plotly.toImage(whole(plot, about), { format, width, height, scale: format === "svg" ? 1 : 2 });
};

// What a component draws is a piece of a page: with its styles and the theme's values, and without the page's fonts, it
// is drawn anew as shapes and words.  Lines between words were drawn for the page's fonts: there these stay.
const component = (host, name, about) => async (format) => {
  const holder = make("div"), box = make("div", "host"), seen = getComputedStyle(host);
  box.append(...[...host.shadowRoot.children].map((node) => node.cloneNode(true)));
  const chosen = host.shadowRoot.querySelectorAll("select"); // a copy of a choice has its first word chosen
  box.querySelectorAll("select").forEach((select, i) => { select.value = chosen[i].value; });
  for (const style of box.querySelectorAll("style")) {
    for (const [name] of style.textContent.matchAll(/--st-[\w-]+/g)) box.style.setProperty(name, seen.getPropertyValue(name));
    style.textContent = style.textContent.replaceAll(":host", ".host");
  }
  if (about) box.prepend(make("style", "", HIDDEN), make("div", "about", about));
  const lined = host.shadowRoot.querySelector("path"), fonts = lined ? "" : "--st-font:sans-serif;";
  const width = Math.ceil(host.getBoundingClientRect().width) + (lined ? 16 : 0); // as wide inside as on the page
  box.style.cssText += `;${fonts}width:${width}px;box-sizing:border-box;padding:8px;color:${seen.color};background:${paper()}`;
  holder.style.cssText = "position:fixed;left:-10000px;top:0";
  holder.attachShadow({ mode: "open" }).append(box);
  document.body.append(holder);
  const svg = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn(box, name));
  holder.remove();
  if (format === "svg") return svg;
  const image = new Image();
  image.src = svg;
  await image.decode();
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL(`image/${format}`);
};

// The heading that stands over something: in the smallest part of the page that has one before it.
const heading = (node) => {
  const main = document.querySelector('[data-testid="stMain"]');
  for (let part = node.parentElement; part && part !== main; part = part.parentElement) {
    const before = [...part.querySelectorAll("h1, h2, h3, summary p")].filter((one) => {
      const fold = one.closest("details");
      return one.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING && (!fold || fold.contains(node));
    });
    if (before.length) return before.at(-1).textContent.trim();
  }
  return "";
};

// What there is to take: its name, what its file is called, and how it is made.  Charts come first.
const pictures = (data) => {
  const shown = (selector) => [...document.querySelectorAll(`[data-testid="stMain"] ${selector}`)]
    .filter((node) => node.getClientRects().length);
  const key = (node) => [...(node.closest('[class*="st-key-"]')?.classList ?? [])]
    .find((name) => name.startsWith("st-key-"))?.slice(7) ?? data.page;
  const found = shown(".js-plotly-plot").map((node) => ({
    node, file: key(node), name: heading(node), as: chart(node, data.about ?? ""),
  }));
  for (const node of shown(".stBidiComponent *")) {
    const kind = node.shadowRoot && OWN.find((one) => node.shadowRoot.querySelector("." + one));
    if (kind) found.push({ node, file: key(node), name: data.own[kind], as: component(node, data.own[kind], data.about ?? "") });
  }
  const times = {};
  for (const one of found) {
    const n = (times[one.name] = (times[one.name] ?? 0) + 1);
    if (n > 1) one.name += ` (${n})`;
    one.file = `${data.stem}-${one.file}`.replace(/[^\p{L}\p{N}_.-]+/gu, "-");
  }
  return found;
};

const save = (address, name) => {
  const comma = address.indexOf(","), [head, text] = [address.slice(5, comma), address.slice(comma + 1)];
  const bytes = head.endsWith("base64")
    ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : new TextEncoder().encode(decodeURIComponent(text));
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: head.split(";")[0] }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

export default function ({ data: [data], parentElement }) {
  let root = parentElement.querySelector(".take");
  if (!root) {
    root = make("div", "take");
    root.append(make("div", "said"), make("div", "pictures take"));
    parentElement.append(root);
  }
  const [said, list] = root.children;
  const trying = async (what) => {
    try {
      said.textContent = "";
      await what();
    } catch {
      said.textContent = data.failed; // a browser that makes no pictures of parts of a page
    }
  };
  const draw = () => {
    const found = pictures(data), now = JSON.stringify(found.map((one) => [one.name, one.file]));
    if (list.dataset.now === now) return;
    list.dataset.now = now;
    list.replaceChildren(...found.map((one, i) => {
      const row = make("div", "picture");
      row.append(make("span", "", one.name), ...["png", "svg"].map((kind) => {
        const own = make("button", "", kind.toUpperCase());
        own.type = "button";
        own.setAttribute("aria-label", `${one.name}: ${kind.toUpperCase()}`);
        own.onclick = () => trying(async () => save(await pictures(data)[i].as(kind), `${one.file}.${kind}`));
        return own;
      }));
      return row;
    }));
  };
  draw();
  const timer = setInterval(draw, 500); // charts come, go and are renamed while this is open
  return () => clearInterval(timer);
}
