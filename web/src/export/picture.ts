// A part of the page as a picture: what the browser has laid out and painted, read off as boxes,
// words, shapes and canvases. The page's policy loads no picture that is not part of it, so a file is
// written from these marks. Left out: shadows, generated content, pictures in a background.

/** A place in the picture, px. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A transform as SVG and canvases take it: a, b, c, d, e, f. */
export type Matrix = readonly [number, number, number, number, number, number];

/** A colour as CSS writes it, or a pattern of the page; null for none. */
export type Paint = string | SVGPatternElement | null;

interface Common {
  /** What lies outside is not seen. */
  readonly clip: Box | null;
  readonly opacity: number;
}

/** A line, area or box of a drawing. */
export interface Shape extends Common {
  readonly kind: "shape";
  /** Outline as SVG writes it, in units of `matrix`. */
  readonly d: string;
  readonly matrix: Matrix;
  readonly fill: Paint;
  readonly fillOpacity: number;
  readonly stroke: string | null;
  readonly strokeWidth: number;
  readonly dash: readonly number[];
  readonly cap: string;
  readonly join: string;
}

/** Words in one line. */
export interface Words extends Common {
  readonly kind: "words";
  readonly text: string;
  /** Where their baseline begins, in units of `matrix`. */
  readonly x: number;
  readonly y: number;
  readonly matrix: Matrix;
  /** As wide as the browser has set them, in units of `matrix`. */
  readonly width: number;
  readonly size: number;
  readonly family: string;
  readonly weight: string;
  readonly style: string;
  readonly colour: string;
}

/** Pixels that are painted as they are. */
export interface Pixels extends Common {
  readonly kind: "pixels";
  readonly box: Box;
  readonly canvas: HTMLCanvasElement;
}

/** One mark of a picture. */
export type Mark = Shape | Words | Pixels;

/** All of a picture, from back to front. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** What it stands on. */
  readonly ground: string;
  readonly marks: readonly Mark[];
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const OUTLINED = "line, path, rect, circle, polygon, polyline";

/** Reads a part of the page; all of it, where it scrolls. */
export function pictureOf(root: HTMLElement | SVGSVGElement): Picture {
  const at = root.getBoundingClientRect();
  const reader = new Reader(at.left - root.scrollLeft, at.top - root.scrollTop);
  reader.read(root, { clip: null, opacity: 1 }, true);
  return {
    width: Math.ceil(Math.max(at.width, root instanceof HTMLElement ? root.scrollWidth : 0)),
    height: Math.ceil(Math.max(at.height, root instanceof HTMLElement ? root.scrollHeight : 0)),
    ground: groundOf(root),
    marks: reader.marks,
  };
}

/** Room around a picture that stands by itself, and for the words below it, px. */
const MARGIN = 16;
const CAPTION = 24;

/** A picture with room around it and a line below that says what it is of. */
export function captioned(picture: Picture, text: string, like: Element): Picture {
  const { color, fontFamily: family } = getComputedStyle(like);
  const font = { size: 12, family, weight: "400", style: "normal" };
  const { width, height, ground, marks } = picture;
  const ruler = document.createElement("canvas").getContext("2d");
  if (ruler) ruler.font = fontOf(font);
  const words: Words = {
    kind: "words",
    clip: null,
    opacity: 1,
    text,
    x: 0,
    y: height + CAPTION,
    matrix: IDENTITY,
    width: ruler?.measureText(text).width ?? 0,
    ...font,
    colour: color,
  };
  return {
    width: width + 2 * MARGIN,
    height: height + CAPTION + 2 * MARGIN,
    ground,
    marks: [...marks, words].map((mark) => moved(mark, MARGIN)),
  };
}

const shifted = (box: Box, by: number): Box => ({ ...box, x: box.x + by, y: box.y + by });

/** A mark so much further right and down. */
function moved(mark: Mark, by: number): Mark {
  const clip = mark.clip && shifted(mark.clip, by);
  if (mark.kind === "pixels") return { ...mark, clip, box: shifted(mark.box, by) };
  const [a, b, c, d, e, f] = mark.matrix;
  return { ...mark, clip, matrix: [a, b, c, d, e + by, f + by] };
}

/** The background an element is seen on. */
function groundOf(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (isSeen(backgroundColor)) return backgroundColor;
  }
  return "white";
}

const isSeen = (colour: string): boolean =>
  colour !== "none" && colour !== "transparent" && !/^rgba\(.*, 0\)$/.test(colour);

const px = (length: string): number => Number.parseFloat(length) || 0;

/** One side of a box. */
interface Edge {
  readonly width: number;
  readonly colour: string;
  readonly isDashed: boolean;
}

/** A sharp shadow inside a box, which is how the page draws thin frames. */
interface InnerEdge {
  readonly colour: string;
  readonly dx: number;
  readonly dy: number;
  readonly spread: number;
}

function innerEdgeOf(shadow: string): InnerEdge | null {
  const parts = /^(\w+\([^)]*\)) (-?[\d.]+)px (-?[\d.]+)px 0px (-?[\d.]+)px inset$/.exec(shadow);
  if (!parts) return null;
  const [, colour = "", dx, dy, spread] = parts;
  return { colour, dx: Number(dx), dy: Number(dy), spread: Number(spread) };
}

/** What lies between a box and its inner edge. */
function between(
  { x, y, width, height }: Box,
  { dx, dy, spread }: InnerEdge,
  zoom: number,
): string {
  const [left, top] = [
    x + Math.max(0, (dx + spread) * zoom),
    y + Math.max(0, (dy + spread) * zoom),
  ];
  const right = x + width + Math.min(0, (dx - spread) * zoom);
  const bottom = y + height + Math.min(0, (dy - spread) * zoom);
  // The hole is drawn the other way round.
  const hole = `M${left} ${top}V${bottom}H${right}V${top}Z`;
  return `${outlineOf({ x, y, width, height }, 0)}${hole}`;
}

/** Stripes of a background. */
interface Hatch {
  readonly colour: string;
  readonly line_px: number;
  readonly every_px: number;
}

/** The one kind of background picture the page has: hatching of what is known, but not begun. */
function hatchOf(picture: string): Hatch | null {
  const stripes =
    /^repeating-linear-gradient\(135deg, (\w+\([^)]*\)) 0px, \1 ([\d.]+)px, .* ([\d.]+)px\)$/;
  const [, colour, line, every] = stripes.exec(picture) ?? [];
  return colour ? { colour, line_px: Number(line), every_px: Number(every) } : null;
}

class Reader {
  readonly marks: Mark[] = [];
  readonly #left: number;
  readonly #top: number;
  /** Measures the letters of a font. */
  readonly #ruler = document.createElement("canvas").getContext("2d");

  constructor(left: number, top: number) {
    this.#left = left;
    this.#top = top;
  }

  read(element: Element, around: Common, isRoot = false): void {
    const style = getComputedStyle(element);
    if (style.display === "none" || element.matches(".sr, defs, title, pattern")) return;
    const common = { ...around, opacity: around.opacity * Number(style.opacity) };
    const isShown = style.visibility === "visible" && common.opacity > 0;
    if (isShown && element instanceof HTMLCanvasElement) this.#pixels(element, common);
    else if (isShown && element.matches(OUTLINED)) this.#shape(element, style, common);
    else if (isShown && element instanceof HTMLElement && !isRoot)
      this.#box(element, style, common);
    const inside = isRoot || style.overflowX === "visible" ? common : this.#within(element, common);
    for (const child of element.childNodes) {
      if (child instanceof Element) this.read(child, inside);
      else if (isShown && child instanceof Text) this.#words(child, element, style, inside);
    }
  }

  #place({ left, top, width, height }: DOMRect): Box {
    return { x: left - this.#left, y: top - this.#top, width, height };
  }

  #within(element: Element, common: Common): Common {
    const box = this.#place(element.getBoundingClientRect());
    return { ...common, clip: common.clip ? overlap(common.clip, box) : box };
  }

  /** A clip only where something would stand out. */
  #cut(box: Box, { clip, opacity }: Common): Common | null {
    if (!clip) return { clip, opacity };
    const seen = overlap(clip, box);
    // A line has no height of its own.
    if (seen.width < 0 || seen.height < 0) return null;
    const isWhole = seen.width >= box.width - 0.5 && seen.height >= box.height - 0.5;
    return { clip: isWhole ? null : clip, opacity };
  }

  #pixels(canvas: HTMLCanvasElement, around: Common) {
    const box = this.#place(canvas.getBoundingClientRect());
    const common = this.#cut(box, around);
    if (common && canvas.width > 0) this.marks.push({ kind: "pixels", ...common, box, canvas });
  }

  /** A background and its edges. */
  #box(element: HTMLElement, style: CSSStyleDeclaration, around: Common) {
    const zoom = zoomOf(element);
    const edges = (["Top", "Right", "Bottom", "Left"] as const).map(
      (side): Edge => ({
        width: style[`border${side}Style`] === "none" ? 0 : px(style[`border${side}Width`]) * zoom,
        colour: style[`border${side}Color`],
        isDashed: /dashed|dotted/.test(style[`border${side}Style`]),
      }),
    );
    const hasGround = isSeen(style.backgroundColor);
    const isEdged = edges.some(({ width, colour }) => width > 0 && isSeen(colour));
    const inner = innerEdgeOf(style.boxShadow);
    const hatch = hatchOf(style.backgroundImage);
    if (!hasGround && !isEdged && !inner && !hatch) return;
    for (const rect of element.getClientRects()) {
      const box = this.#place(rect);
      const common = this.#cut(box, around);
      if (!common) continue;
      const radius = Math.min(px(style.borderTopLeftRadius) * zoom, box.width / 2, box.height / 2);
      if (hasGround) this.#fill(outlineOf(box, radius), style.backgroundColor, common);
      if (hatch) this.#hatch(box, hatch, common);
      if (inner) this.#fill(between(box, inner, zoom), inner.colour, common);
      if (isEdged) this.#edges(box, radius, edges, common);
    }
  }

  /** Stripes that rise to the right. */
  #hatch(box: Box, { colour, line_px, every_px }: Hatch, common: Common) {
    const { x, y, width, height } = box;
    let d = "";
    for (let at = x - height; at < x + width; at += every_px * Math.SQRT2) {
      d += `M${at} ${y + height}L${at + height} ${y}`;
    }
    const clip = common.clip ? overlap(common.clip, box) : box;
    this.marks.push({ ...PLAIN, ...common, clip, d, stroke: colour, strokeWidth: line_px });
  }

  #edges(box: Box, radius: number, edges: readonly Edge[], common: Common) {
    const [top, right, bottom, left] = edges;
    if (!top || !right || !bottom || !left) return;
    const isEven = edges.every((edge) => edge.width === top.width && edge.colour === top.colour);
    if (isEven) {
      const inset = top.width / 2;
      const inner = {
        x: box.x + inset,
        y: box.y + inset,
        width: box.width - top.width,
        height: box.height - top.width,
      };
      const d = outlineOf(inner, Math.max(0, radius - inset));
      const dash = top.isDashed ? [3 * top.width, 2 * top.width] : [];
      const stroke = { stroke: top.colour, strokeWidth: top.width, dash };
      this.marks.push({ ...PLAIN, ...common, d, ...stroke });
      return;
    }
    const { x, y, width, height } = box;
    const side = ({ width: thick, colour, isDashed }: Edge, d: string) => {
      if (thick <= 0 || !isSeen(colour)) return;
      const dash = isDashed ? [3 * thick, 2 * thick] : [];
      this.marks.push({ ...PLAIN, ...common, d, stroke: colour, strokeWidth: thick, dash });
    };
    side(top, `M${x} ${y + top.width / 2}h${width}`);
    side(bottom, `M${x} ${y + height - bottom.width / 2}h${width}`);
    side(left, `M${x + left.width / 2} ${y}v${height}`);
    side(right, `M${x + width - right.width / 2} ${y}v${height}`);
  }

  #fill(d: string, fill: string, common: Common) {
    this.marks.push({ ...PLAIN, ...common, d, fill });
  }

  #shape(element: Element, style: CSSStyleDeclaration, around: Common) {
    const matrix = this.#matrixOf(element);
    const d = outlineOfMark(element);
    const common = this.#cut(this.#place(element.getBoundingClientRect()), around);
    if (!matrix || d === "" || !common) return;
    const fill = paintOf(style.fill);
    const stroke = isSeen(style.stroke) ? style.stroke : null;
    if (fill === null && stroke === null) return;
    this.marks.push({
      kind: "shape",
      ...common,
      d,
      matrix,
      fill,
      fillOpacity: Number(style.fillOpacity || 1),
      stroke,
      strokeWidth: px(style.strokeWidth),
      dash: (style.strokeDasharray.match(/[\d.]+/g) ?? []).map(Number),
      cap: style.strokeLinecap,
      join: style.strokeLinejoin,
    });
  }

  #matrixOf(element: Element): Matrix | null {
    const m = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null;
    return m && [m.a, m.b, m.c, m.d, m.e - this.#left, m.f - this.#top];
  }

  #words(node: Text, parent: Element, style: CSSStyleDeclaration, around: Common) {
    // Words beside each other are set as one.
    if (node.previousSibling instanceof Text) return;
    const run = runOf(node);
    const zoom = parent instanceof HTMLElement ? zoomOf(parent) : 1;
    const font = {
      size: px(style.fontSize) * zoom,
      family: style.fontFamily,
      weight: style.fontWeight,
      style: style.fontStyle,
    };
    const said = (text: string) =>
      style.textTransform === "uppercase" ? text.toUpperCase() : text;
    if (parent instanceof SVGTextContentElement) {
      const matrix = this.#matrixOf(parent);
      const common = this.#cut(this.#place(parent.getBoundingClientRect()), around);
      const set = matrix && common && setWords(run, parent);
      if (!set) return;
      this.marks.push({ kind: "words", ...common, ...set, matrix, ...font, colour: style.fill });
      return;
    }
    for (const { text, rect } of linesOf(run)) {
      const box = this.#place(rect);
      const common = this.#cut(box, around);
      if (!common) continue;
      this.marks.push({
        kind: "words",
        ...common,
        text: said(text),
        x: box.x,
        y: box.y + this.#ascent(font, box.height),
        matrix: IDENTITY,
        width: box.width,
        ...font,
        colour: style.color,
      });
    }
  }

  /** How far below the top of a line its baseline is. */
  #ascent(font: Pick<Words, "size" | "family" | "weight" | "style">, height: number): number {
    const ruler = this.#ruler;
    if (!ruler) return height * 0.8;
    ruler.font = fontOf(font);
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ruler.measureText("x");
    return up + (height - up - down) / 2;
  }
}

const PLAIN: Omit<Shape, "d" | "clip" | "opacity"> = {
  kind: "shape",
  matrix: IDENTITY,
  fill: null,
  fillOpacity: 1,
  stroke: null,
  strokeWidth: 0,
  dash: [],
  cap: "butt",
  join: "miter",
};

/** A font as CSS and canvases write it. */
export const fontOf = ({
  style,
  weight,
  size,
  family,
}: Pick<Words, "size" | "family" | "weight" | "style">): string =>
  `${style} ${weight} ${size}px ${family}`;

/** How much an element is enlarged by the page. */
const zoomOf = (element: HTMLElement): number =>
  (element as HTMLElement & { currentCSSZoom?: number }).currentCSSZoom ?? 1;

/** A colour, a pattern of the page, or nothing. */
function paintOf(fill: string): Paint {
  const [, id] = /^url\("?#([^")]+)"?\)/.exec(fill) ?? [];
  if (id === undefined) return isSeen(fill) ? fill : null;
  const found = document.getElementById(id);
  return found instanceof SVGPatternElement ? found : null;
}

function overlap(a: Box, b: Box): Box {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  return { x, y, width, height: Math.min(a.y + a.height, b.y + b.height) - y };
}

/** A text node and those right after it. */
function runOf(first: Text): Text[] {
  const run: Text[] = [];
  for (let at: Node | null = first; at instanceof Text; at = at.nextSibling) run.push(at);
  return run;
}

const collapsed = (words: string): string => words.replaceAll(/\s+/g, " ");
const textOf = (run: readonly Text[]): string => run.map(({ data }) => data).join("");

/** Words of a drawing: where they are set, and how wide. */
function setWords(
  run: readonly Text[],
  parent: SVGTextContentElement,
): Pick<Words, "text" | "x" | "y" | "width"> | null {
  let before = "";
  for (let at = run[0]?.previousSibling; at; at = at.previousSibling) {
    before = `${at.textContent}${before}`;
  }
  const all = textOf(run);
  const text = collapsed(all).trim();
  const from = collapsed(before).trimStart().length;
  const lead = collapsed(`${before}${all}`)
    .trimStart()
    .indexOf(text, Math.max(0, from - 1));
  const many = Math.min(text.length, parent.getNumberOfChars() - lead);
  if (many <= 0 || lead < 0) return null;
  const { x, y } = parent.getStartPositionOfChar(lead);
  return { text, x, y, width: parent.getSubStringLength(lead, many) };
}

/** A text as it is broken into lines: words that stand on one height. */
function linesOf(run: readonly Text[]): { text: string; rect: DOMRect }[] {
  const range = document.createRange();
  /** The node a letter is in, and its place there. */
  const placeOf = (letter: number): [Text, number] | null => {
    let left = letter;
    for (const node of run) {
      if (left <= node.length) return [node, left];
      left -= node.length;
    }
    return null;
  };
  const lines: { text: string; rect: DOMRect }[] = [];
  for (const { 0: word, index } of textOf(run).matchAll(/\S+/g)) {
    const [from, to] = [placeOf(index), placeOf(index + word.length)];
    if (!from || !to) continue;
    range.setStart(...from);
    range.setEnd(...to);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0) continue;
    const line = lines.at(-1);
    if (line && Math.abs(line.rect.top - rect.top) < rect.height / 2) {
      line.text += ` ${word}`;
      const right = Math.max(line.rect.right, rect.right);
      const { left, top, height } = line.rect;
      line.rect = new DOMRect(left, top, right - left, height);
    } else {
      lines.push({ text: word, rect });
    }
  }
  return lines;
}

/** The outline of a box, with round corners where it has some. */
export function outlineOf({ x, y, width, height }: Box, radius: number): string {
  const [right, bottom] = [x + width, y + height];
  if (radius <= 0) return `M${x} ${y}H${right}V${bottom}H${x}Z`;
  const turn = (dx: number, dy: number) => `a${radius} ${radius} 0 0 1 ${dx} ${dy}`;
  return [
    `M${x + radius} ${y}H${right - radius}${turn(radius, radius)}`,
    `V${bottom - radius}${turn(-radius, radius)}H${x + radius}${turn(-radius, -radius)}`,
    `V${y + radius}${turn(radius, -radius)}Z`,
  ].join("");
}

/** The outline of a mark of a drawing, in its own units. */
export function outlineOfMark(mark: Element): string {
  const at = (name: string) => {
    const length = Reflect.get(mark, name) as SVGAnimatedLength | undefined;
    return length?.baseVal?.value ?? Number(mark.getAttribute(name) ?? 0);
  };
  switch (mark.tagName) {
    case "path":
      return mark.getAttribute("d") ?? "";
    case "line":
      return `M${at("x1")} ${at("y1")}L${at("x2")} ${at("y2")}`;
    case "rect": {
      const box = { x: at("x"), y: at("y"), width: at("width"), height: at("height") };
      return outlineOf(box, Math.min(at("rx"), box.width / 2, box.height / 2));
    }
    case "circle": {
      const r = at("r");
      const half = `a${r} ${r} 0 0 1 `;
      return `M${at("cx") - r} ${at("cy")}${half}${2 * r} 0${half}${-2 * r} 0Z`;
    }
    default: {
      const points = mark.getAttribute("points")?.trim() ?? "";
      return points === "" ? "" : `M${points}${mark.tagName === "polygon" ? "Z" : ""}`;
    }
  }
}
