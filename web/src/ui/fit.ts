// How much room the page has. Widths are measured in the reader's own text size: with text twice as
// large, a window counts as half as wide. So larger text reflows and never clips.

import { type CSSProperties, useSyncExternalStore } from "react";
import { isProjector, LOW_PROJECTOR_ZOOM, onProjector, PROJECTOR_ZOOM } from "../app/projector";
import { watched } from "./watched";

/** How the regions are laid out; `close` is `wide` with less text next to the names. */
export type Look = "wide" | "close" | "narrow" | "phone";

/** The page's room. */
export interface Fit {
  readonly look: Look;
  /** The reader's text size relative to the designed size; the whole page is zoomed by it. */
  readonly text: number;
  /** Width of the window in the reader's pixels. */
  readonly width_px: number;
  /** The main pointer is a finger: targets are larger. */
  readonly hasTouch: boolean;
  /** Laid out for a projector: everything larger, the side panel below the machine. */
  readonly isProjector: boolean;
  /** There is enough room for the projector layout. */
  readonly canProject: boolean;
  /** The layout of content that is not projected, such as the prose of a lesson. */
  readonly unprojected: Pick<Fit, "look" | "text">;
}

/** The text size that the page is designed for, which is the default of browsers. */
const DESIGNED_TEXT_PX = 16;
/** Below this width in reader's pixels, enlarging would only clip. */
const LEAST_PX = 320;
/** Below this width in reader's pixels there is no projector layout. */
const LEAST_PROJECTED_PX = 800;
/**
 * A projector with a lower window enlarges less. Enlarged by half, it would have no room for the
 * machine.
 */
const LOW_PROJECTOR_PX = 800;

const LOOKS: readonly (readonly [Look, number])[] = [
  ["wide", 1380],
  ["close", 1280],
  ["narrow", 601],
];

/** The room of a window, from its width and the root's text size, both in CSS px. */
export function fitOf(
  width_px: number,
  text_px: number,
  { isCoarse = false, isProjected = false, height_px = Number.POSITIVE_INFINITY } = {},
): Fit {
  const zoom = height_px < LOW_PROJECTOR_PX ? LOW_PROJECTOR_ZOOM : PROJECTOR_ZOOM;
  const ideal = Math.max(1, text_px / DESIGNED_TEXT_PX) * (isProjected ? zoom : 1);
  const text = Math.min(ideal, Math.max(1, width_px / LEAST_PX));
  const room = width_px / text;
  // A window without enough room is not laid out for a projector.
  if (isProjected && room < LEAST_PROJECTED_PX)
    return fitOf(width_px, text_px, { isCoarse, height_px });
  const look = LOOKS.find(([, least]) => room >= least)?.[0] ?? "phone";
  const unprojected = isProjected ? fitOf(width_px, text_px, { isCoarse }) : { look, text };
  return {
    look: isProjected ? "close" : look,
    text,
    width_px: Math.floor(room),
    hasTouch: isCoarse || look === "phone",
    isProjector: isProjected,
    canProject: isProjected || room / zoom >= LEAST_PROJECTED_PX,
    unprojected: { look: unprojected.look, text: unprojected.text },
  };
}

function readFit(): Fit {
  const text_px = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isCoarse = typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
  return fitOf(innerWidth, text_px || DESIGNED_TEXT_PX, {
    isCoarse,
    isProjected: isProjector(),
    height_px: innerHeight,
  });
}

function listen(changed: () => void): () => void {
  addEventListener("resize", changed);
  const stopProjector = onProjector(changed);
  const stop = () => {
    removeEventListener("resize", changed);
    stopProjector();
  };
  if (typeof ResizeObserver === "undefined") return stop;
  // Browsers have no event for a changed text size, but an element one rem wide changes its width.
  const probe = document.createElement("div");
  probe.className = "probe";
  document.body.append(probe);
  const observer = new ResizeObserver(changed);
  observer.observe(probe);
  return () => {
    stop();
    observer.disconnect();
    probe.remove();
  };
}

const room = watched(
  readFit,
  listen,
  (a, b) =>
    a.width_px === b.width_px &&
    a.text === b.text &&
    a.hasTouch === b.hasTouch &&
    a.isProjector === b.isProjector &&
    a.canProject === b.canProject,
);

/** The page's room, kept up to date. */
export const useFit = (): Fit => useSyncExternalStore(room.subscribe, room.known);

/** Is the page laid out for a phone? */
export const usePhone = (): boolean => useFit().look === "phone";

/**
 * Are the page's regions side by side? If not, a region that is built later moves those below it.
 */
export const isBeside = (look: Look): boolean => look === "wide" || look === "close";

/**
 * How much an element is enlarged on screen; 1 in browsers that measure in the element's own
 * pixels.
 */
export const zoomOf = (element: Element): number =>
  (element as Element & { currentCSSZoom?: number }).currentCSSZoom ?? 1;

/** In lower windows the timeline shows only lanes that changed. */
const LOW_WINDOW = "(max-height: 879px)";

/** Is the window low? */
export const isLowWindow = (): boolean =>
  typeof matchMedia === "function" && matchMedia(LOW_WINDOW).matches;

const low = watched(isLowWindow, (changed) => {
  if (typeof matchMedia !== "function") return () => {};
  const list = matchMedia(LOW_WINDOW);
  list.addEventListener("change", changed);
  return () => list.removeEventListener("change", changed);
});

/** The same, kept up to date. */
export const useLowWindow = (): boolean => useSyncExternalStore(low.subscribe, low.known);

/** All sizes are in px, so the page follows the reader's text size by zooming everything. */
export const pageZoom = (text: number): CSSProperties & Record<"--text", number> => ({
  zoom: text,
  "--text": text,
});
