import { useLayoutEffect, useRef } from "react";

/** Where a page is drawn. */
export interface PageCell {
  /** What it is on; a page moves only from one to another. */
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

interface TravelProps {
  /** The owner of the lists; if the owner changes, no move is animated. */
  readonly owner: string;
  readonly step: number;
  readonly tile_px: number;
  /** Where each page is drawn, by its page frame number. */
  readonly cells: () => Map<number, PageCell>;
  /** Where a page came from if these lists have just appeared. */
  readonly origin: (pfn: number) => PageCell | undefined;
}

/** The maximum number of pages whose moves are drawn; the numbers include all pages. */
const MOST = 32;

/** After a manual step, pages move from their old row to the new one. */
export function Travels({ owner, step, tile_px, cells, origin }: TravelProps) {
  const group = useRef<SVGSVGElement>(null);
  const last = useRef<{ owner: string; step: number; places: Map<number, PageCell> } | null>(null);
  useLayoutEffect(() => {
    const was = last.current;
    if (was?.step === step && was.owner === owner) return;
    const places = cells();
    last.current = { owner, step, places };
    const svg = group.current;
    if (!svg) return;
    svg.replaceChildren();
    // Only a single step forward or back animates, as `data-motion` says.
    if (!was || !svg.closest('[data-motion="soft"]')) return;
    let moved = 0;
    for (const [pfn, to] of places) {
      const from = was.owner === owner ? was.places.get(pfn) : origin(pfn);
      if (!from || from.row === to.row || moved >= MOST) continue;
      moved += 1;
      travel(svg, tile_px, from, to);
    }
  });
  return <svg ref={group} className="overlay travels" aria-hidden="true" />;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Moves an outline along the path; without motion, a line with an arrow stays until the next step.
 */
function travel(svg: SVGSVGElement, tile_px: number, from: PageCell, to: PageCell) {
  const style = getComputedStyle(svg);
  const duration = Number.parseFloat(style.getPropertyValue("--m-move"));
  const middle = (tile_px - 1) / 2;
  if (!(duration > 0) || !svg.animate) {
    still(svg, [from.x + middle, from.y + 6], [to.x + middle, to.y + 6]);
    return;
  }
  const box = document.createElementNS(SVG, "rect");
  box.setAttribute("x", String(to.x));
  box.setAttribute("y", String(to.y));
  box.setAttribute("width", String(tile_px - 1));
  box.setAttribute("height", "12");
  svg.append(box);
  const moves = [
    { transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` },
    { transform: "none" },
  ];
  const easing = style.getPropertyValue("--ease").trim() || "ease-out";
  box.animate(moves, { duration, easing }).finished.then(
    () => box.remove(),
    () => box.remove(),
  );
}

type Point = readonly [number, number];

/** A line with an arrow from a page's old position to the new one, with rings at both ends. */
function still(svg: SVGSVGElement, [x1, y1]: Point, [x2, y2]: Point) {
  const line = document.createElementNS(SVG, "path");
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const wing = (side: number) =>
    `M${x2} ${y2}l${-5 * dx - side * 3 * dy} ${-5 * dy + side * 3 * dx}`;
  const ring = (x: number, y: number) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;
  line.setAttribute(
    "d",
    `M${x1} ${y1}L${x2} ${y2}${wing(1)}${wing(-1)}${ring(x1, y1)}${ring(x2, y2)}`,
  );
  svg.append(line);
}
