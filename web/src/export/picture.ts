// Parts of the page as pictures. HTML is rendered anew by modern-screenshot, which the page fetches
// with the first such picture; a drawing of the page's own, like the timeline, is an SVG already and
// only needs its looks written beside its shapes, because a file has no stylesheets.

/** How much finer than the screen a PNG is. */
const FINE = 2;
/** A browser paints no larger pictures than this, px each way. */
const MOST_PX = 16_384;
/** Room around a picture that stands by itself, and for the words below it, px. */
const MARGIN = 16;
const CAPTION = 24;

/**
 * A part of the page, all of it where it scrolls, with a line below that says what it is of; without
 * one it has no margin either.
 */
export async function pngOf(part: HTMLElement, caption: string | null): Promise<Blob | null> {
  const { domToCanvas } = await import("modern-screenshot");
  // In large windows the page enlarges it: words only break as they do there when the picture does.
  const zoom = part.currentCSSZoom ?? 1;
  const inside = [
    Math.max(part.offsetWidth, part.scrollWidth),
    Math.max(part.offsetHeight, part.scrollHeight),
  ] as const;
  const [width, height] = [Math.ceil(inside[0] * zoom), Math.ceil(inside[1] * zoom)];
  const margin = caption === null ? 0 : MARGIN;
  const [across, down] = [
    width + 2 * margin,
    height + 2 * margin + (caption === null ? 0 : CAPTION),
  ];
  const scale = Math.min(FINE, MOST_PX / across, MOST_PX / down);
  const rendered = await domToCanvas(part, {
    width,
    height,
    scale,
    font: { cssText: await embeddedFonts() },
    // What is copied of each element takes nearly all of the time.
    includeStyleProperties: propertiesSet(part),
    filter: isDrawn,
    style: { width: `${inside[0]}px`, height: `${inside[1]}px` },
  });
  const { color, fontFamily } = getComputedStyle(part);
  return painted(across, down, scale, (g) => {
    g.fillStyle = groundOf(part);
    g.fillRect(0, 0, across, down);
    g.drawImage(rendered, margin, margin, width, height);
    if (caption === null) return;
    g.fillStyle = color;
    g.font = `12px ${fontFamily}`;
    g.fillText(caption, MARGIN, height + MARGIN + CAPTION, width);
  });
}

/** Every property that a style sheet of the page or an element of the part sets; all others are usual. */
function propertiesSet(part: Element): string[] {
  const names = new Set<string>(["width", "height"]);
  const add = (style: CSSStyleDeclaration) => {
    for (const name of style) if (!name.startsWith("--")) names.add(name);
  };
  const addRules = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if ("style" in rule) add(rule.style as CSSStyleDeclaration);
      if ("cssRules" in rule) addRules(rule.cssRules as CSSRuleList);
    }
  };
  for (const sheet of document.styleSheets) addRules(sheet.cssRules);
  for (const element of part.querySelectorAll<HTMLElement | SVGElement>("[style]")) {
    add(element.style);
  }
  for (const name of names) if (NOT_IN_PICTURES.test(name)) names.delete(name);
  return [...names];
}

/** What moves, or answers a pointer. */
const NOT_IN_PICTURES = /^(transition|animation|cursor|scroll-|outline|user-select|touch-action)/;

/** Is an element seen, or does what is seen need it? */
const isDrawn = (node: Node): boolean =>
  !(node instanceof Element) || node.closest("defs") !== null || node.checkVisibility();

/** A drawing of the page as a PNG. */
export async function pngOfDrawing(drawing: SVGSVGElement): Promise<Blob | null> {
  const { width, height } = sizeOf(drawing);
  const image = new Image();
  const text = svgOf(drawing, await embeddedFonts());
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  return painted(width, height, FINE, (g) => g.drawImage(image, 0, 0, width, height));
}

async function painted(
  width: number,
  height: number,
  scale: number,
  paint: (g: OffscreenCanvasRenderingContext2D) => void,
): Promise<Blob | null> {
  const canvas = new OffscreenCanvas(Math.floor(width * scale), Math.floor(height * scale));
  const g = canvas.getContext("2d");
  if (!g) return null;
  g.scale(scale, scale);
  paint(g);
  return canvas.convertToBlob({ type: "image/png" });
}

/** What a drawing's looks come to, and the value each has where nothing is said. */
const LOOKS: Readonly<Record<string, string>> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-family": "inherit",
  "font-size": "inherit",
  "font-weight": "400",
  "text-anchor": "start",
  "dominant-baseline": "auto",
};
/** What a file needs of the attributes the page has given its marks is their shape. */
const PAGE_ONLY = /^(class|style|role|tabindex|aria-.*|data-.*)$/;

/** A drawing as the text of an SVG file; what is not seen is left out. */
export function svgOf(drawing: SVGSVGElement, fonts = ""): string {
  const { width, height } = sizeOf(drawing);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  inscribe(drawing, copy);
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const paper = document.createElementNS(copy.namespaceURI, "rect") as SVGRectElement;
  for (const [name, value] of Object.entries({ width, height, fill: groundOf(drawing) }))
    paper.setAttribute(name, String(value));
  copy.prepend(paper);
  const text = new XMLSerializer().serializeToString(copy);
  // The page's policy forbids an element that styles: the file gets it as text.
  return fonts === "" ? text : text.replace(">", () => `><style>${fonts}</style>`);
}

const sizeOf = (drawing: SVGSVGElement) => {
  const { width, height } = drawing.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
};

/** Gives a copied mark, and all inside it, the looks that stylesheets have given the mark. */
function inscribe(mark: Element, copy: Element): void {
  const children = [...mark.children].map((child, i) => [child, copy.children[i]] as const);
  for (const [child, copied] of children) {
    if (!copied) continue;
    if (isSeen(child)) inscribe(child, copied);
    else copied.remove();
  }
  for (const { name } of [...copy.attributes]) if (PAGE_ONLY.test(name)) copy.removeAttribute(name);
  const looks = getComputedStyle(mark);
  for (const [name, usual] of Object.entries(LOOKS)) {
    const value = looks.getPropertyValue(name);
    // What has the usual look may stand in a group that has another.
    if (value === usual && !copy.hasAttribute(name)) continue;
    if (name.startsWith("font-") && !(mark instanceof SVGTextContentElement)) continue;
    copy.setAttribute(name, value.replaceAll('"', "'"));
  }
}

/** Definitions have no box of their own, but are needed. */
const isSeen = (mark: Element): boolean =>
  mark.closest("defs") !== null || mark.checkVisibility({ visibilityProperty: true });

/** The background a part is seen on. */
function groundOf(part: Element): string {
  for (let at: Element | null = part; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (backgroundColor !== "transparent" && !/^rgba\(.*, 0\)$/.test(backgroundColor))
      return backgroundColor;
  }
  return "white";
}

/** The page's fonts as style rules that hold them: a picture fetches nothing. */
async function embeddedFonts(): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule),
  );
  const texts = rules.map(async ({ cssText, parentStyleSheet }) => {
    const [whole, address = ""] = /url\("?([^")]+)"?\)/.exec(cssText) ?? [];
    if (whole === undefined) return cssText;
    const url = new URL(address, parentStyleSheet?.href ?? document.baseURI);
    return cssText.replace(whole, `url("${await dataUrl(await (await fetch(url)).blob())}")`);
  });
  return (await Promise.all(texts)).join("\n");
}

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
