// Parts of the page as pictures. Modern-screenshot renders HTML to an image; the page fetches this
// library with the first picture. A drawing such as the timeline is already an SVG. It only needs
// its styles as attributes, because a file has no style sheets.

/** Pixels of a PNG for each CSS pixel. */
const FINE = 2;
/** The maximum size of a picture in browsers, px in each direction. */
const MOST_PX = 16_384;
/** Margin around a picture with a caption, and around the caption, px. */
const MARGIN = 16;
const CAPTION = 24;

/**
 * A picture of a part of the page, including content that is scrolled out of view, with a caption
 * that describes it. Without a caption the picture has no margin.
 */
export async function pngOf(part: HTMLElement, caption: string | null): Promise<Blob | null> {
  const { domToCanvas } = await import("modern-screenshot");
  // In large windows the page is zoomed. The picture is zoomed in the same way, so that lines break
  // at the same words.
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
    // Copying the styles of each element takes nearly all of the time.
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

/**
 * Every property that a style sheet of the page or an element of the part sets; all others have
 * their defaults.
 */
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

/** Properties of animation and pointer interaction. */
const NOT_IN_PICTURES = /^(transition|animation|cursor|scroll-|outline|user-select|touch-action)/;

/** Is an element visible, or does a visible element need it? */
const isDrawn = (node: Node): boolean =>
  !(node instanceof Element) || node.closest("defs") !== null || node.checkVisibility();

/** Converts an SVG of the page to a PNG. */
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

/** The styles that are written as attributes, with the default of each. */
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
/** Attributes that only the page needs, not a file. */
const PAGE_ONLY = /^(class|style|role|tabindex|aria-.*|data-.*)$/;

/** A drawing as the text of an SVG file, without invisible elements. */
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
  // The page's content policy forbids a style element, so the style element is added to the text.
  return fonts === "" ? text : text.replace(">", () => `><style>${fonts}</style>`);
}

const sizeOf = (drawing: SVGSVGElement) => {
  const { width, height } = drawing.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
};

/** Copies the computed styles of an element and its children to the attributes of a copy. */
function inscribe(mark: Element, copy: Element): void {
  const children = [...mark.children].map((child, i) => [child, copy.children[i]] as const);
  for (const [child, copied] of children) {
    if (!copied) continue;
    if (isSeen(child)) inscribe(child, copied);
    else copied.remove();
  }
  for (const { name } of [...copy.attributes]) if (PAGE_ONLY.test(name)) copy.removeAttribute(name);
  const style = getComputedStyle(mark);
  for (const [name, usual] of Object.entries(LOOKS)) {
    const value = style.getPropertyValue(name);
    // A default value is left out, unless the copy sets the attribute itself.
    if (value === usual && !copy.hasAttribute(name)) continue;
    if (name.startsWith("font-") && !(mark instanceof SVGTextContentElement)) continue;
    copy.setAttribute(name, value.replaceAll('"', "'"));
  }
}

/** Definitions have no box but are needed. */
const isSeen = (mark: Element): boolean =>
  mark.closest("defs") !== null || mark.checkVisibility({ visibilityProperty: true });

/** The background behind a part. */
function groundOf(part: Element): string {
  for (let at: Element | null = part; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (backgroundColor !== "transparent" && !/^rgba\(.*, 0\)$/.test(backgroundColor))
      return backgroundColor;
  }
  return "white";
}

/** The page's fonts as style rules with embedded data, because a picture cannot fetch files. */
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
