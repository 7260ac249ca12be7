// The part of a zoomed map that is in view. A zoom keeps the point under the pointer in place.

import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Point, Port } from "../../draw/map/levels";
import { carried, clamped, middleOf, portAt, revealed } from "../../draw/map/zoom";
import type { Scene } from "./scene";

/** The part of a scene in view. */
export interface Camera {
  readonly port: Port;
  /** Whether it has been moved since the scene was opened. */
  readonly isPushed: boolean;
  /** Moves it by a distance in px; false if the view is already at that edge. */
  readonly push: (by: Point) => boolean;
  /** Scrolls a cell into view. */
  readonly reveal: (cell: number) => void;
  /** The top of the view in the box: below the links back, if there are any. */
  readonly top_px: number;
  /** The point in the box that the next scene keeps in place; default: the middle. */
  readonly anchor: RefObject<Point | null>;
}

/** Follows a map from scene to scene. */
export function useCamera(
  scene: Scene,
  room: Pick<Port, "width" | "height">,
  pfn: number | null,
  crumbs_px: number,
): Camera {
  const anchor = useRef<Point | null>(null);
  const was = useRef<Scene | null>(null);
  const [port, setPort] = useState<Port>({ x: 0, y: 0, ...room });
  const [isPushed, setPushed] = useState(false);
  const { width, height } = room;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scenes with one key differ only in the moment
  useLayoutEffect(() => {
    const at = anchor.current;
    const from = was.current;
    anchor.current = null;
    was.current = scene;
    const isSame = from?.key === scene.key && from.layout === scene.layout;
    if (isSame) return setPort((now) => clamped(scene.layout, { ...now, width, height }));
    setPushed(false);
    setPort(opened(from, scene, pfn, at, { x: 0, y: crumbs_px, width, height }));
  }, [scene.key, scene.layout, width, height]);
  // Several moves may come before the next render.
  const go = (next: (now: Port) => Port) => {
    setPort(next);
    setPushed(true);
  };
  return {
    port,
    isPushed,
    top_px: scene.level === "node" ? 0 : crumbs_px,
    anchor,
    push: (by) => {
      const canMove = scene.layout.width > width || scene.layout.height > height;
      if (canMove) go((now) => clamped(scene.layout, { ...now, x: now.x + by.x, y: now.y + by.y }));
      return canMove;
    },
    reveal: (cell) => {
      const next = revealed(scene.layout, port, cell);
      if (next.x !== port.x || next.y !== port.y) go(() => next);
    },
  };
}

/**
 * The view of a scene that was just opened, around a page; `room` is the view's position in the
 * box.
 */
function opened(
  from: Scene | null,
  to: Scene,
  pfn: number | null,
  anchor: Point | null,
  room: Port,
): Port {
  const { width, height } = room;
  const whole = { x: 0, y: 0, width, height };
  if (to.level === "node") return whole;
  const at = anchor ? { x: anchor.x, y: anchor.y - room.y } : { x: width / 2, y: height / 2 };
  if (anchor && from?.level === "node" && to.level === "zone")
    return portAt(to.layout, carried(from.layout, to.layout, anchor), at, room);
  const cell = pfn === null ? null : to.indexOf(pfn);
  return cell === null ? whole : portAt(to.layout, middleOf(to.layout, cell), at, room);
}
