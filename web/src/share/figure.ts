// A drawing on the page as a file of its own. The page's policy loads no picture that is not part of
// it, so pixels are painted mark by mark, from what the browser has computed for each.

/** How much finer than the screen a PNG is. */
const FINE = 2;
/** What of a mark's look the page's stylesheets decide. */
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
] as const;
const FONT = ["font-family", "font-size", "font-weight"] as const;
const MARKS = "g, line, path, rect, circle, text, tspan";

const number = (element: Element, name: string): number => Number(element.getAttribute(name) ?? 0);

const isHidden = (element: Element): boolean => {
  const { display, visibility } = getComputedStyle(element);
  return display === "none" || visibility === "hidden";
};

/** A drawing as the text of an SVG file, on a ground. */
export function svgText(drawing: SVGSVGElement, ground: string): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [...drawing.querySelectorAll(MARKS)];
  for (const [i, mark] of [...copy.querySelectorAll(MARKS)].entries()) {
    const original = originals[i];
    if (!original || isHidden(original)) {
      mark.remove();
      continue;
    }
    const style = getComputedStyle(original);
    for (const { name } of [...mark.attributes]) {
      if (/^(class|style|role|tabindex|data-|aria-)/.test(name)) mark.removeAttribute(name);
    }
    const isText = /^(text|tspan)$/.test(mark.tagName);
    for (const name of [...LOOKS, ...(isText ? FONT : [])]) {
      const value = style.getPropertyValue(name);
      // A group passes on what its marks say themselves.
      if (value !== "" && (mark.tagName !== "g" || name === "opacity")) {
        mark.setAttribute(name, value);
      }
    }
  }
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [
    ["width", "100%"],
    ["height", "100%"],
    ["fill", ground],
  ] as const) {
    paper.setAttribute(name, value);
  }
  copy.prepend(paper);
  copy.removeAttribute("class");
  const [width, height] = [number(drawing, "width"), number(drawing, "height")];
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return new XMLSerializer().serializeToString(copy);
}

/** A drawing as a PNG, on a ground. */
export function pngOf(drawing: SVGSVGElement, ground: string): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = number(drawing, "width") * FINE;
  canvas.height = number(drawing, "height") * FINE;
  const to = canvas.getContext("2d");
  if (!to) return Promise.resolve(null);
  to.fillStyle = ground;
  to.fillRect(0, 0, canvas.width, canvas.height);
  to.scale(FINE, FINE);
  for (const mark of drawing.querySelectorAll("line, path, rect, circle, text")) {
    if (!isHidden(mark)) paint(to, mark);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function outline(mark: Element): Path2D {
  const path = new Path2D(mark.getAttribute("d") ?? "");
  const at = (name: string) => number(mark, name);
  if (mark.tagName === "line") {
    path.moveTo(at("x1"), at("y1"));
    path.lineTo(at("x2"), at("y2"));
  } else if (mark.tagName === "rect") {
    path.rect(at("x"), at("y"), at("width"), at("height"));
  } else if (mark.tagName === "circle") {
    path.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
  }
  return path;
}

function paint(to: CanvasRenderingContext2D, mark: Element): void {
  const style = getComputedStyle(mark);
  to.globalAlpha = Number(style.opacity) * Number(style.fillOpacity || 1);
  to.fillStyle = style.fill;
  if (mark.tagName === "text") {
    to.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const anchors: Record<string, CanvasTextAlign> = { middle: "center", end: "right" };
    to.textAlign = anchors[style.textAnchor] ?? "left";
    to.fillText((mark.textContent ?? "").trim(), number(mark, "x"), number(mark, "y"));
    return;
  }
  const path = outline(mark);
  if (style.fill !== "none") to.fill(path);
  if (style.stroke === "none") return;
  to.globalAlpha = Number(style.opacity);
  to.strokeStyle = style.stroke;
  to.lineWidth = Number.parseFloat(style.strokeWidth);
  to.setLineDash((style.strokeDasharray.match(/[\d.]+/g) ?? []).map(Number));
  to.stroke(path);
}
