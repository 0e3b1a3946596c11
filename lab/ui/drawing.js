// Stands before the script that takes pictures away: a piece of the page as SVG of plain shapes and words, which every
// program opens and edits (a foreignObject, which would be shorter, is empty outside of browsers).

const SPACE = "http://www.w3.org/2000/svg";

// A colour of any notation as one that SVG has always had, and how much of it there is.
const colours = new Map(), dot = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const plain = (css) => {
  if (!colours.has(css)) {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = css;
    dot.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = dot.getImageData(0, 0, 1, 1).data;
    colours.set(css, [`rgb(${r},${g},${b})`, a / 255]);
  }
  return colours.get(css);
};

const inner = (a, b) => {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  const [right, bottom] = [Math.min(a.right, b.right), Math.min(a.bottom, b.bottom)];
  return { left, top, right, bottom, width: right - left, height: bottom - top };
};

const grown = (rect, by) => inner(
  { left: rect.left - by, top: rect.top - by, right: rect.right + by, bottom: rect.bottom + by },
  { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity },
);

// The words of a text node, a piece for each line that they stand on, as far as it is seen.
const lines = (text, style, clip) => {
  const range = document.createRange(), found = [];
  let at = 0, cut = false;
  for (const sign of text.data) {
    range.setStart(text, at);
    range.setEnd(text, (at += sign.length));
    const rect = range.getBoundingClientRect(), last = found.at(-1);
    if (!rect.width) continue; // a blank that is not drawn
    if (rect.top > clip.bottom - rect.height / 2 || rect.bottom < clip.top + rect.height / 2) {
      cut ||= rect.top > clip.top;
      continue;
    }
    if (rect.right > clip.right + 1 || rect.left < clip.left - 1) {
      if (last && style.textOverflow === "ellipsis") last.more = true;
      continue;
    }
    if (last && Math.abs(last.top - rect.top) < rect.height / 2) {
      last.said += sign;
      [last.left, last.right] = [Math.min(last.left, rect.left), Math.max(last.right, rect.right)];
    } else found.push({ said: sign, left: rect.left, right: rect.right, top: rect.top, height: rect.height });
  }
  if (cut && found.length && style.webkitLineClamp !== "none") found.at(-1).more = true;
  for (const line of found) if (line.more) line.said = line.said.replace(/.{1,2}$/u, "…");
  return found.filter((line) => line.said.trim());
};

// `box` stands in the document; the SVG is as wide and high as it.
const drawn = (box, title) => {
  const from = box.getBoundingClientRect();
  const svg = document.createElementNS(SPACE, "svg");
  const put = (kind, facts, said) => {
    const node = document.createElementNS(SPACE, kind);
    for (const [name, value] of Object.entries(facts)) {
      if (value !== undefined) node.setAttribute(name, typeof value === "number" ? Math.round(value * 100) / 100 : value);
    }
    if (said !== undefined) node.textContent = said;
    svg.append(node);
  };
  const shape = (rect, css, pale, more = {}, how = "fill") => {
    const [colour, share] = plain(css);
    if (!share || rect.width <= 0 || rect.height <= 0) return;
    const place = { x: rect.left - from.left, y: rect.top - from.top, width: rect.width, height: rect.height };
    put("rect", { ...place, fill: "none", [how]: colour, [`${how}-opacity`]: share * pale, ...more });
  };
  const side = (rect, name, width) => ({
    Top: { ...rect, height: width },
    Bottom: { ...rect, top: rect.bottom - width, height: width },
    Left: { ...rect, width },
    Right: { ...rect, left: rect.right - width, width },
  })[name];
  const framed = (rect, style, pale) => {
    const round = Math.min(parseFloat(style.borderTopRightRadius) || 0, rect.height / 2, rect.width / 2);
    const rx = round || undefined;
    shape(rect, style.backgroundColor, pale, { rx });
    const [first] = style.backgroundImage.match(/(?:rgba?|color)\([^()]*\)/) ?? []; // hatched: in its first colour
    if (first) shape(rect, first, pale, { rx });
    const sides = ["Top", "Right", "Bottom", "Left"].map((name) => ({
      name, width: parseFloat(style[`border${name}Width`]), css: style[`border${name}Color`], kind: style[`border${name}Style`],
    }));
    const one = new Set(sides.map(({ width, css, kind }) => `${width} ${css} ${kind}`)).size === 1;
    const [{ width, css, kind }] = sides;
    const line = (w, k) => ({ rx, "stroke-width": w, "stroke-dasharray": k === "dashed" ? `${3 * w} ${2 * w}` : undefined });
    if (one && width) shape(grown(rect, -width / 2), css, pale, line(width, kind), "stroke");
    else for (const { name, width, css } of sides) if (width) shape(side(rect, name, width), css, pale);
    const lit = style.boxShadow.match(/^(.*\)) (\S+)px (\S+)px (\S+)px (\S+)px( inset)?$/);
    if (lit?.[6]) shape(side(rect, "Bottom", Math.abs(lit[3])), lit[1], pale);
    else if (Number(lit?.[5])) shape(grown(rect, lit[5] / 2), lit[1], pale, line(Number(lit[5])), "stroke");
  };
  const words = (text, style, clip, pale, struck) => {
    const [fill, share] = plain(style.color), size = parseFloat(style.fontSize);
    dot.font = `${style.fontStyle} ${style.fontWeight} ${size}px ${style.fontFamily}`;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = dot.measureText("x");
    for (const { said, left, right, top, height } of lines(text, style, clip)) {
      const base = top + (height * up) / (up + down);
      const look = { fill, "fill-opacity": share * pale };
      put("text", {
        x: left - from.left, y: base - from.top, ...look, "font-family": style.fontFamily, "font-size": size,
        "font-weight": style.fontWeight, "font-style": style.fontStyle, "xml:space": "preserve",
        textLength: right - left, lengthAdjust: "spacingAndGlyphs",
      }, said);
      for (const [kind, css] of struck) {
        const y = kind === "line-through" ? base - size * 0.3 : base + size * 0.2;
        shape({ left, top: y, width: right - left, height: 1.2 }, css, pale);
      }
    }
  };
  const above = []; // lines between parts lie over them
  const lined = (node, pale) => {
    const at = node.getBoundingClientRect(), place = `translate(${at.left - from.left},${at.top - from.top})`;
    for (const own of node.querySelectorAll("path, circle, text")) {
      const style = getComputedStyle(own), seen = pale * style.opacity;
      const paint = (css, name, more) => {
        const [colour, share] = css === "none" ? ["none", 0] : plain(css);
        return share ? { [name]: colour, [`${name}-opacity`]: share * seen * more } : { [name]: "none" };
      };
      const line = { ...paint(style.stroke, "stroke", style.strokeOpacity), "stroke-width": parseFloat(style.strokeWidth) };
      const facts = Object.fromEntries(["d", "cx", "cy", "r", "x", "y"].flatMap((name) => {
        const value = own.getAttribute(name);
        return value === null ? [] : [[name, value]];
      }));
      if (own.tagName === "path") put("path", { ...facts, transform: place, fill: "none", ...line });
      else if (own.tagName === "circle") put("circle", { ...facts, transform: place, ...paint(style.fill, "fill", style.fillOpacity), ...line });
      else {
        const font = { "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize) };
        put("text", { ...facts, transform: place, ...paint(style.fill, "fill", 1), ...font }, own.textContent);
      }
    }
  };
  const walk = (node, clip, pale, struck) => {
    if (node.nodeType === Node.TEXT_NODE) {
      words(node, getComputedStyle(node.parentElement), clip, pale, struck);
      return;
    }
    if (node.tagName === "svg") {
      if (node.getClientRects().length) above.push(() => lined(node, pale));
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || !node.getClientRects().length) return;
    const style = getComputedStyle(node), seen = pale * style.opacity;
    if (!seen || style.visibility === "hidden") return;
    for (const rect of node.getClientRects()) framed(inner(rect, clip), style, seen);
    const own = struck.concat(style.textDecorationLine.split(" ").filter((kind) => kind !== "none")
      .map((kind) => [kind, style.textDecorationColor]));
    const within = style.overflowX === "visible" ? clip
      : inner(clip, grown(node.getBoundingClientRect(), parseFloat(style.overflowClipMargin) || 0));
    for (const child of node.childNodes) walk(child, within, seen, own);
  };
  // what a style writes after an element, and what a choice shows, become elements
  const plainly = (style, said) => {
    const own = document.createElement("span");
    for (const name of style) own.style.setProperty(name, style.getPropertyValue(name));
    own.textContent = said;
    return own;
  };
  const after = [...box.querySelectorAll("*")].flatMap((node) => {
    const style = getComputedStyle(node, "::after"), said = style.content.match(/^"(.*)"$/);
    return said ? [[node, plainly(style, said[1])]] : [];
  });
  const off = document.createElement("style");
  off.textContent = "*::after { content: none !important; }";
  box.append(off);
  for (const [node, own] of after) node.append(own);
  for (const node of box.querySelectorAll("select")) {
    node.replaceWith(plainly(getComputedStyle(node), node.selectedOptions[0]?.text ?? ""));
  }
  svg.setAttribute("xmlns", SPACE);
  svg.setAttribute("viewBox", `0 0 ${Math.ceil(from.width)} ${Math.ceil(from.height)}`);
  svg.setAttribute("width", Math.ceil(from.width));
  svg.setAttribute("height", Math.ceil(from.height));
  put("title", {}, title);
  walk(box, grown(from, 0), 1, []);
  for (const draw of above) draw();
  return new XMLSerializer().serializeToString(svg);
};
