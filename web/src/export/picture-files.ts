// A picture as a file: the text of an SVG, in which canvases are embedded as images, or a PNG.

import {
  type Box,
  fontOf,
  type Mark,
  type Matrix,
  outlineOf,
  outlineOfMark,
  type Paint,
  type Picture,
  type Shape,
  type Words,
} from "./picture";

/** How much finer than the screen a PNG is. */
const FINE = 2;
/** A browser paints no larger pictures than this, px each way. */
const MOST_PX = 16_384;

const fixed = (value: number): string => String(Math.round(value * 100) / 100);
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

type Attributes = Readonly<Record<string, string | number | null>>;

function tag(name: string, attributes: Attributes, inside = ""): string {
  const all = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === "number" ? fixed(value) : escaped(value ?? "")}"`,
    );
  return inside === ""
    ? `<${name}${all.join("")}/>`
    : `<${name}${all.join("")}>${inside}</${name}>`;
}

const isIdentity = ([a, b, c, d, e, f]: Matrix) =>
  a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
const matrixText = (matrix: Matrix): string | null =>
  isIdentity(matrix) ? null : `matrix(${matrix.map(fixed).join(" ")})`;

/** What a mark's paint looks like, by what the stylesheets have made of it. */
function looksOf(mark: Element): Attributes {
  const { fill, stroke, strokeWidth } = getComputedStyle(mark);
  return { fill, stroke, "stroke-width": strokeWidth };
}

/** What the marks of a file share: patterns, and what is cut off. */
class Shared {
  readonly #patterns = new Map<SVGPatternElement, string>();
  readonly #clips = new Map<string, string>();
  #text = "";

  get text(): string {
    return this.#text === "" ? "" : tag("defs", {}, this.#text);
  }

  paint(paint: Paint): string {
    if (paint === null) return "none";
    if (typeof paint === "string") return paint;
    const known = this.#patterns.get(paint);
    if (known) return `url(#${known})`;
    const id = `pattern-${this.#patterns.size}`;
    this.#patterns.set(paint, id);
    const marks = [...paint.children].map((mark) =>
      tag("path", { d: outlineOfMark(mark), ...looksOf(mark) }),
    );
    this.#text += tag(
      "pattern",
      {
        id,
        width: paint.getAttribute("width"),
        height: paint.getAttribute("height"),
        patternUnits: paint.getAttribute("patternUnits"),
        patternTransform: paint.getAttribute("patternTransform"),
      },
      marks.join(""),
    );
    return `url(#${id})`;
  }

  clip(box: Box | null): string | null {
    if (!box) return null;
    const d = outlineOf(box, 0);
    const known = this.#clips.get(d);
    if (known) return `url(#${known})`;
    const id = `clip-${this.#clips.size}`;
    this.#clips.set(d, id);
    this.#text += tag("clipPath", { id }, tag("path", { d }));
    return `url(#${id})`;
  }
}

/** A picture as the text of an SVG file. */
export function svgOf({ width, height, ground, marks }: Picture): string {
  const shared = new Shared();
  const body = marks.map((mark) => {
    const text = markText(mark, shared);
    // A clip is in the units of the picture, whatever the mark's own are.
    const clip = shared.clip(mark.clip);
    return clip ? tag("g", { "clip-path": clip }, text) : text;
  });
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const paper = tag("rect", { width, height, fill: ground });
  const inside = `${shared.text}${paper}${body.join("\n")}`;
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, inside);
}

const opacityText = (opacity: number): number | null => (opacity < 1 ? opacity : null);

function markText(mark: Mark, shared: Shared): string {
  const opacity = opacityText(mark.opacity);
  switch (mark.kind) {
    case "pixels":
      return tag("image", {
        ...mark.box,
        preserveAspectRatio: "none",
        href: mark.canvas.toDataURL("image/png"),
        opacity,
      });
    case "words":
      return tag(
        "text",
        {
          x: mark.x,
          y: mark.y,
          transform: matrixText(mark.matrix),
          fill: mark.colour,
          "font-family": mark.family,
          "font-size": mark.size,
          "font-weight": mark.weight,
          "font-style": mark.style === "normal" ? null : mark.style,
          // Where the font is another one, the words keep their room.
          textLength: mark.width,
          lengthAdjust: "spacingAndGlyphs",
          opacity,
        },
        escaped(mark.text),
      );
    case "shape":
      return tag("path", {
        d: mark.d,
        transform: matrixText(mark.matrix),
        fill: shared.paint(mark.fill),
        "fill-opacity": opacityText(mark.fillOpacity),
        ...(mark.stroke && {
          stroke: mark.stroke,
          "stroke-width": mark.strokeWidth,
          "stroke-dasharray": mark.dash.length > 0 ? mark.dash.join(" ") : null,
          "stroke-linecap": mark.cap === "butt" ? null : mark.cap,
          "stroke-linejoin": mark.join === "miter" ? null : mark.join,
        }),
        opacity,
      });
  }
}

/** A picture as a PNG, finer than the screen; null where it could not be painted. */
export function pngOf({ width, height, ground, marks }: Picture): Promise<Blob | null> {
  const fine = Math.min(FINE, MOST_PX / width, MOST_PX / height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * fine);
  canvas.height = Math.floor(height * fine);
  const to = canvas.getContext("2d");
  if (!to) return Promise.resolve(null);
  to.fillStyle = ground;
  to.fillRect(0, 0, canvas.width, canvas.height);
  for (const mark of marks) {
    to.save();
    to.scale(fine, fine);
    if (mark.clip) to.clip(new Path2D(outlineOf(mark.clip, 0)));
    to.globalAlpha = mark.opacity;
    paintMark(to, mark);
    to.restore();
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function paintMark(to: CanvasRenderingContext2D, mark: Mark): void {
  if (mark.kind === "pixels") {
    const { x, y, width, height } = mark.box;
    to.drawImage(mark.canvas, x, y, width, height);
    return;
  }
  to.transform(...mark.matrix);
  if (mark.kind === "words") paintWords(to, mark);
  else paintShape(to, mark);
}

function paintWords(to: CanvasRenderingContext2D, words: Words): void {
  to.font = fontOf(words);
  to.fillStyle = words.colour;
  to.translate(words.x, words.y);
  // Digits of one width are a look of the page that a canvas does not have.
  const { width } = to.measureText(words.text);
  if (width > 0 && words.width > 0) to.scale(words.width / width, 1);
  to.fillText(words.text, 0, 0);
}

function paintShape(to: CanvasRenderingContext2D, shape: Shape): void {
  const path = new Path2D(shape.d);
  const fill = typeof shape.fill === "object" ? patternOf(to, shape.fill) : shape.fill;
  if (fill) {
    to.globalAlpha = shape.opacity * shape.fillOpacity;
    to.fillStyle = fill;
    to.fill(path);
  }
  if (!shape.stroke || shape.strokeWidth === 0) return;
  to.globalAlpha = shape.opacity;
  to.strokeStyle = shape.stroke;
  to.lineWidth = shape.strokeWidth;
  to.setLineDash([...shape.dash]);
  to.lineCap = shape.cap as CanvasLineCap;
  to.lineJoin = shape.join as CanvasLineJoin;
  to.stroke(path);
}

/** A pattern of the page as a canvas has them. */
function patternOf(
  to: CanvasRenderingContext2D,
  pattern: SVGPatternElement | null,
): CanvasPattern | null {
  if (!pattern) return null;
  const tile = document.createElement("canvas");
  tile.width = pattern.width.baseVal.value * FINE;
  tile.height = pattern.height.baseVal.value * FINE;
  const on = tile.getContext("2d");
  if (!on) return null;
  on.scale(FINE, FINE);
  for (const mark of pattern.children) {
    const { fill, stroke, strokeWidth } = getComputedStyle(mark);
    const path = new Path2D(outlineOfMark(mark));
    on.fillStyle = fill;
    if (fill !== "none" && mark.tagName !== "line") on.fill(path);
    on.strokeStyle = stroke;
    on.lineWidth = Number.parseFloat(strokeWidth);
    if (stroke !== "none") on.stroke(path);
  }
  const made = to.createPattern(tile, "repeat");
  const turned = pattern.patternTransform.baseVal.consolidate()?.matrix;
  const { a = 1, b = 0, c = 0, d = 1, e = 0, f = 0 } = turned ?? {};
  made?.setTransform(new DOMMatrix([a, b, c, d, e, f]).scale(1 / FINE));
  return made;
}
