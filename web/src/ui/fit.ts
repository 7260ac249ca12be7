// How much room the page has. Widths count in the reader's own text size: a browser whose text is
// set twice as large is a window of half the width, so that larger text reflows and never clips.

import { type CSSProperties, useSyncExternalStore } from "react";
import { isProjector, LOW_PROJECTOR_ZOOM, onProjector, PROJECTOR_ZOOM } from "../app/projector";
import { watched } from "./watched";

/** How the regions are laid out; `close` is wide with less beside the names. */
export type Look = "wide" | "close" | "narrow" | "phone";

/** The page's room. */
export interface Fit {
  readonly look: Look;
  /** How much larger than designed the reader's text is; the whole page is zoomed by it. */
  readonly text: number;
  /** Width of the window in the reader's pixels. */
  readonly width_px: number;
  /** Fingers point here: targets are larger. */
  readonly hasTouch: boolean;
  /** Laid out for a projector: all of it larger, the side panel below the machine. */
  readonly isProjector: boolean;
  /** There is room to be laid out so. */
  readonly canProject: boolean;
  /** The layout of what is not projected, a lesson's prose say. */
  readonly desk: Pick<Fit, "look" | "text">;
}

/** Text size the page is designed for: what browsers have unless told otherwise. */
const DESIGNED_TEXT_PX = 16;
/** Below this width in reader's pixels no enlargement helps: it would only cut. */
const LEAST_PX = 320;
/** And below this one nothing is laid out for a projector. */
const LEAST_PROJECTED_PX = 800;
/** A projector this low has larger pixels: of what is half as large again no machine would be left. */
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
  const wanted = Math.max(1, text_px / DESIGNED_TEXT_PX) * (isProjected ? zoom : 1);
  const text = Math.min(wanted, Math.max(1, width_px / LEAST_PX));
  const room = width_px / text;
  // What has no room for it is no projector's window.
  if (isProjected && room < LEAST_PROJECTED_PX)
    return fitOf(width_px, text_px, { isCoarse, height_px });
  const look = LOOKS.find(([, least]) => room >= least)?.[0] ?? "phone";
  const desk = isProjected ? fitOf(width_px, text_px, { isCoarse }) : { look, text };
  return {
    look: isProjected ? "close" : look,
    text,
    width_px: Math.floor(room),
    hasTouch: isCoarse || look === "phone",
    isProjector: isProjected,
    canProject: isProjected || room / zoom >= LEAST_PROJECTED_PX,
    desk: { look: desk.look, text: desk.text },
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
  // Nothing tells of a changed text size, but something one rem wide changes its width with it.
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

/** Do the page's regions stand beside each other? Else what is built later pushes others down. */
export const isBeside = (look: Look): boolean => look === "wide" || look === "close";

/** How much an element is enlarged on screen; 1 where the browser measures in its own pixels. */
export const zoomOf = (element: Element): number =>
  (element as Element & { currentCSSZoom?: number }).currentCSSZoom ?? 1;

/** In windows lower than this the timeline has those lanes only that changed. */
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

/** Everything is drawn in px, so the reader's text size is followed by enlarging all of it. */
export const pageZoom = (text: number): CSSProperties & Record<"--text", number> => ({
  zoom: text,
  "--text": text,
});
