// Turns wheel, pinch and drag over a page map into zooming about a point and moving the map.

import { type RefObject, useEffect, useRef } from "react";
import type { Point } from "../../draw/map/levels";

/** The actions of gestures. */
export interface Gestures {
  /** One level in (1) or out (-1) about a point of the box. */
  readonly zoom: (direction: 1 | -1, at: Point) => void;
  /** Is there a level in that direction? */
  readonly canZoom: (direction: 1 | -1) => boolean;
  /** Moves the map by a distance in px; false if it cannot move. */
  readonly push: (by: Point) => boolean;
}

/** The wheel distance for one level; a notch of a mouse is 100 px or more. */
const WHEEL_PX = 60;
/** After a change of level, the wheel is ignored for this time, ms. */
const WHEEL_REST_MS = 320;
/** Fingers that move apart or together by this factor change the level. */
const PINCH = 1.35;
/** A pointer that moves less than this clicks instead of dragging, px. */
const DRAG_PX = 4;

/** Listens to a box; always uses the latest actions. */
export function useGestures(box: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const now = useRef(gestures);
  now.current = gestures;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const stop = [listenToWheel(element, now), listenToPointers(element, now)];
    return () => {
      for (const end of stop) end();
    };
  }, [box]);
}

type Now = RefObject<Gestures>;

/** A pointer's place in the box, in the box's own pixels. */
function placeIn(
  element: HTMLElement,
  { clientX, clientY }: MouseEvent,
): Point & { scale: number } {
  const box = element.getBoundingClientRect();
  const scale = box.width / element.offsetWidth || 1;
  return { x: (clientX - box.left) / scale, y: (clientY - box.top) / scale, scale };
}

function listenToWheel(element: HTMLElement, now: Now): () => void {
  let turned = 0;
  let rests_until = 0;
  const onWheel = (event: WheelEvent) => {
    const direction = event.deltaY < 0 ? 1 : -1;
    // If there is no level in that direction, the page scrolls as usual.
    if (event.deltaY === 0 || !now.current.canZoom(direction)) {
      if (event.timeStamp < rests_until) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (event.timeStamp < rests_until) return;
    // A pinch on a touchpad arrives as small wheel events with the control key.
    const by = event.ctrlKey ? event.deltaY * 6 : event.deltaY * (event.deltaMode === 1 ? 30 : 1);
    turned = Math.sign(turned) === Math.sign(by) ? turned + by : by;
    if (Math.abs(turned) < WHEEL_PX) return;
    turned = 0;
    rests_until = event.timeStamp + WHEEL_REST_MS;
    now.current.zoom(direction, placeIn(element, event));
  };
  // Only a listener that is not passive can prevent scrolling.
  element.addEventListener("wheel", onWheel, { passive: false });
  return () => element.removeEventListener("wheel", onWheel);
}

function listenToPointers(element: HTMLElement, now: Now): () => void {
  const pointers = new Map<number, Point>();
  let isDragged = false;
  let apart = 0;
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target as Element).closest("button, a")) return;
    if (pointers.size === 0) isDragged = false;
    pointers.set(event.pointerId, placeIn(element, event));
    apart = spanOf(pointers);
  };
  const onMove = (event: PointerEvent) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const to = placeIn(element, event);
    if (pointers.size === 2) {
      pointers.set(event.pointerId, to);
      const span = spanOf(pointers);
      const direction = span > apart * PINCH ? 1 : span * PINCH < apart ? -1 : null;
      isDragged = true;
      if (!direction) return;
      apart = span;
      const [a, b] = [...pointers.values()];
      if (a && b) now.current.zoom(direction, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
      return;
    }
    const by = { x: from.x - to.x, y: from.y - to.y };
    if (!isDragged && Math.hypot(by.x, by.y) < DRAG_PX) return;
    if (!now.current.push(by)) return;
    isDragged = true;
    element.setPointerCapture?.(event.pointerId);
    pointers.set(event.pointerId, to);
  };
  const onEnd = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
  };
  const onClick = (event: MouseEvent) => {
    // The end of a drag is not a click.
    if (isDragged) event.stopPropagation();
    isDragged = false;
  };
  element.addEventListener("pointerdown", onDown);
  element.addEventListener("pointermove", onMove);
  element.addEventListener("click", onClick, { capture: true });
  for (const end of ["pointerup", "pointercancel"] as const) addEventListener(end, onEnd);
  return () => {
    element.removeEventListener("pointerdown", onDown);
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("click", onClick, { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) removeEventListener(end, onEnd);
  };
}

function spanOf(pointers: ReadonlyMap<number, Point>): number {
  const [a, b] = [...pointers.values()];
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}
