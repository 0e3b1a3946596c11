// Stands before the script of the lists: the curves in their gutters, one for each document that two neighbours show.
// A document that the neighbour shows further down, or lacks, leaves as a short stub with its rank there; one that comes
// from further down arrives as a stub.  What an approximate search lost is linked by a dashed curve.
const NS = "http://www.w3.org/2000/svg";

const path = (d, { stroke, width, pale = 1, doc = "", dashes = "" }) => {
  const node = document.createElementNS(NS, "path");
  node.setAttribute("d", d);
  node.style.fill = "none";
  node.style.stroke = stroke;
  node.style.strokeWidth = width;
  node.style.strokeOpacity = pale;
  node.style.strokeLinecap = "round";
  if (dashes) node.style.strokeDasharray = dashes;
  if (doc) node.dataset.doc = doc;
  return node;
};

const curve = ([x1, y1], [x2, y2], look) => {
  const half = (x1 + x2) / 2;
  return path(`M${x1},${y1} C${half},${y1} ${half},${y2} ${x2},${y2}`, look);
};

const dot = ([x, y], r, { fill, stroke = "none", width = 0, doc = "" }) => {
  const node = document.createElementNS(NS, "circle");
  node.setAttribute("cx", x);
  node.setAttribute("cy", y);
  node.setAttribute("r", r);
  node.style.fill = fill;
  node.style.stroke = stroke;
  node.style.strokeWidth = width;
  if (doc) node.dataset.doc = doc;
  return node;
};

const text = ([x, y], said, color) => {
  const node = document.createElementNS(NS, "text");
  node.setAttribute("x", x);
  node.setAttribute("y", y);
  node.style.fill = color;
  node.textContent = said;
  return node;
};

// A stub fades out in three strokes, the same in every program that shows an exported picture.
const stub = ([x, y], dx, look) => [0, 1, 2].map((i) => {
  const part = (t) => `${x + dx * t},${y + 9 * t * t}`;
  return path(`M${part(i / 3)} L${part((i + 0.5) / 3)} L${part((i + 1) / 3)}`, { ...look, pale: [0.6, 0.36, 0.16][i] });
});

const curves = (root, svg, lists) => {
  svg.replaceChildren();
  if (!root.data.linked || lists.length < 2) return;
  const box = svg.parentElement.getBoundingClientRect(), ink = getComputedStyle(root);
  const paper = ink.getPropertyValue("--st-background-color"), quiet = ink.color;
  const all = [...root.querySelectorAll("section.list")], below = [], above = [];
  for (let i = 0; i + 1 < lists.length; i++) {
    const [left, right] = [lists[i], lists[i + 1]].map((list) => {
      const edge = list.getBoundingClientRect(), own = root.data.lists[all.indexOf(list)];
      const found = [...list.querySelectorAll(".card")].map((row, j) => {
        const at = row.querySelector(".head").getBoundingClientRect();
        return [row.dataset.doc, { hit: own.hits[j], y: at.top + at.height / 2 - box.top }];
      });
      return { rows: new Map(found.filter(([, { hit }]) => !hit.dropped)), start: edge.left - box.left - 5, end: edge.right - box.left + 5 };
    });
    const room = right.start - left.end, numbered = room > 60;
    for (const [doc, { hit, y }] of left.rows) {
      const there = right.rows.get(doc), chosen = doc === root.data.selected && !root.data.neutral, ring = hit.tags?.length > 0;
      const look = { stroke: hit.chip, width: chosen ? 6 : 2.2, pale: chosen ? 1 : ring ? 0.95 : 0.6, doc };
      const layer = chosen ? above : below;
      if (!there) {
        layer.push(...stub([left.end, y], Math.min(30, room * 0.36), { ...look, width: chosen ? 4 : 2.2 }));
        if (numbered) layer.push(text([left.end + Math.min(30, room * 0.36) + 3, y + 15], hit.after ? `↓${hit.after}` : "–", quiet));
        continue;
      }
      const [from, to] = [[left.end, y], [right.start, there.y]];
      const lost = hit.lost || there.hit.lost;  // not reached by an approximate search: it belongs there, and is not
      layer.push(curve(from, to, lost ? { ...look, width: chosen ? 3 : 2.2, dashes: "2 6" } : look));
      const hollow = { fill: paper, stroke: hit.chip, width: chosen ? 3 : 2.2, doc };
      for (const [at, own] of [[from, hit], [to, there.hit]]) {
        layer.push(dot(at, chosen ? 6 : ring ? 4.2 : 3.2, ring || own.lost ? hollow : { fill: hit.chip, doc }));
      }
    }
    for (const [doc, { hit, y }] of right.rows) {
      if (left.rows.has(doc)) continue;
      below.push(...stub([right.start, y], -Math.min(26, room * 0.3), { stroke: hit.chip, width: doc === root.data.selected && !root.data.neutral ? 4 : 2.2, doc }));
    }
  }
  svg.append(...below, ...above);
  const thick = above.filter((node) => node.tagName === "path").flatMap((node) => {
    const length = node.getTotalLength();
    return Array.from({ length: 41 }, (_, i) => node.getPointAtLength((length * i) / 40));
  });
  for (const node of svg.querySelectorAll("text")) {  // a number that the thick curve would cross is left to the tooltip
    const { x, y, width, height } = node.getBBox();
    if (thick.some((at) => at.x > x - 4 && at.x < x + width + 4 && at.y > y - 4 && at.y < y + height + 4)) node.remove();
  }
};

const light = (svg, doc) => {
  for (const node of svg.children) node.classList.toggle("lit", Boolean(doc) && node.dataset.doc === doc);
};
