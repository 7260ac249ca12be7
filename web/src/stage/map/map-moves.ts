// The effects of keys, pointers and gestures on a page map: its cursor, the part in view, its
// level.

import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useWorkbench } from "../../app/context";
import type { MapZoom } from "../../app/store";
import { blockPages } from "../../app/zooms";
import { firstFrame, nextLevel, type Point, type Port } from "../../draw/map/levels";
import { frameAt } from "../../draw/map/pagemap";
import { middleOf } from "../../draw/map/zoom";
import { type Camera, useCamera } from "./camera";
import { useGestures } from "./gestures";
import type { MapProps, Scene } from "./scene";

/** The state and actions of a map. */
export interface MapMoves {
  readonly cursor: number | null;
  readonly setCursor: (cell: number | null, isByKey: boolean) => void;
  readonly camera: Camera;
  /** Goes one level in, at a cell, around a point of the view. */
  readonly enter: (cell: number, at: Point | null) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The state and actions of one map. */
export function useMap(
  props: MapProps & { readonly begun: number | null },
  scene: Scene,
  zoom: MapZoom | null,
  room: Port,
  box: RefObject<HTMLDivElement | null>,
): MapMoves {
  const { info, node } = props;
  const workbench = useWorkbench();
  const { zooms } = workbench;
  const camera = useCamera(scene, room, zoom?.pfn ?? null, room.y);
  useMiddle(props, scene, camera, zoom);
  const { cursor, setCursor, isKeyed } = useCursor(props, scene, camera, zoom);
  const level = zoom?.level ?? "node";
  const canZoom = (direction: 1 | -1) => nextLevel(level, direction, info.teaching) !== null;
  const enter = (cell: number, at: Point | null) => {
    const pfn = at ? pfnUnder(props, scene, cell, at) : scene.pfnOf(cell);
    if (pfn === null || !canZoom(1)) return;
    camera.anchor.current = boxPoint(scene, camera, cell, at);
    workbench.hover(null);
    zooms.in({ node: node.id, pfn });
  };
  const zoomAt = (direction: 1 | -1, at: Point) => {
    if (direction < 0) {
      camera.anchor.current = at;
      zooms.out(node.id);
      return;
    }
    const top = camera.top_px;
    const from = top === 0 ? { x: 0, y: 0 } : camera.port;
    const cell = cellNear(scene, { x: at.x + from.x, y: at.y - top + from.y });
    if (cell !== null) enter(cell, { x: at.x, y: at.y - top });
  };
  const push = (by: Point) => level !== "node" && level !== "page" && camera.push(by);
  useGestures(box, { canZoom, push, zoom: zoomAt });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isIn = event.key === "+" || event.key === "=";
    isKeyed.current = true;
    // Escape first stops a long run: the page's own keys handle that order.
    if (event.key === "Escape") return zooms.turnTo(node.id);
    if (isIn && cursor !== null) enter(cursor, null);
    else if (event.key === "0") zooms.whole(node.id);
    else if (event.key === "-") zooms.out(node.id);
    else return;
    event.preventDefault();
  };
  return { cursor, setCursor, camera, enter, onKeyDown };
}

/** The cell under the pointer, or the one chosen by keys. */
function useCursor(
  { node, begun }: MapProps & { readonly begun: number | null },
  scene: Scene,
  camera: Camera,
  zoom: MapZoom | null,
): Pick<MapMoves, "cursor" | "setCursor"> & { isKeyed: RefObject<boolean> } {
  const workbench = useWorkbench();
  const { zooms } = workbench;
  const [cursor, setCell] = useState<number | null>(begun);
  const isKeyed = useRef(begun !== null);
  // The next level starts at the page that the keys chose, not at the same cell number.
  const key = zoom?.level === "page" ? "page" : scene.key;
  const last = useRef({ key, pfn: zoom?.pfn ?? null });
  useLayoutEffect(() => {
    const was = last.current;
    last.current = { key, pfn: zoom?.pfn ?? null };
    if (was.key === key) return;
    const pfn = zoom?.pfn ?? was.pfn;
    const cell = isKeyed.current && pfn !== null ? scene.indexOf(pfn) : null;
    setCell(cell);
    if (cell !== null && pfn !== null) zooms.point({ node: node.id, pfn });
  });
  const setCursor = (cell: number | null, isByKey: boolean) => {
    if (cell !== null) isKeyed.current = isByKey;
    setCell(cell);
    const pfn = cell === null ? null : scene.pfnOf(cell);
    zooms.point(pfn === null ? null : { node: node.id, pfn });
    if (scene.isPages) workbench.hover(pfn === null ? null : `page ${pfn}`);
    if (isByKey && cell !== null && scene.level !== "node") camera.reveal(cell);
  };
  return { cursor, setCursor, isKeyed };
}

/** A map counts as at rest when nothing has moved for this time, ms. */
const STILL_MS = 250;

/** When the map is still, the address names the pageblock in its middle. */
function useMiddle(
  { node }: MapProps,
  scene: Scene,
  { port, isPushed }: Camera,
  zoom: MapZoom | null,
) {
  const { zooms } = useWorkbench();
  const cell =
    scene.level === "zone"
      ? cellNear(scene, { x: port.x + port.width / 2, y: port.y + port.height / 2 })
      : null;
  const pfn = cell === null ? null : scene.pfnOf(cell);
  const isZone = zoom?.level === "zone";
  useEffect(() => {
    if (pfn === null || !isPushed || !isZone) return;
    const keep = () => {
      // The user may have changed the level meanwhile.
      if (zooms.levelOf(node.id) === "zone") zooms.to(node.id, "zone", pfn);
    };
    const timer = setTimeout(keep, STILL_MS);
    return () => clearTimeout(timer);
  }, [zooms, node, pfn, isPushed, isZone]);
}

/** The cell at a point of a layout, or the nearest one: headings and gaps are not cells. */
function cellNear({ layout, pfnOf }: Scene, { x, y }: Point): number | null {
  const within = Math.max(0, Math.min(x, layout.width - 1));
  for (let away = 0; away < layout.height; away += layout.tile_px / 2) {
    for (const at of [y + away, y - away]) {
      const cell = frameAt(layout, within, at);
      if (cell !== null && pfnOf(cell) !== null) return cell;
    }
  }
  return null;
}

/** The page under a point: if a cell has several pageblocks, one of the block under the pointer. */
function pfnUnder({ info, node }: MapProps, scene: Scene, cell: number, at: Point): number | null {
  const pfn = scene.pfnOf(cell);
  const { layout } = scene;
  if (pfn === null || scene.level !== "node" || !("span" in layout)) return pfn;
  const block = blockPages(info);
  const span = Number(layout.span);
  const part = Math.floor((((at.x % layout.tile_px) / layout.tile_px) * span) / block);
  const start = Math.floor(pfn / span) * span + part * block;
  const first = firstFrame(node.ranges, start, start + block);
  return first !== null && scene.indexOf(first) === cell ? first : pfn;
}

/** Converts a point of the view to coordinates of the box; without a point, the center of a cell. */
function boxPoint(scene: Scene, { port, top_px }: Camera, cell: number, at: Point | null): Point {
  if (at) return { x: at.x, y: at.y + top_px };
  const { x, y } = middleOf(scene.layout, cell);
  return top_px === 0 ? { x, y } : { x: x - port.x, y: y - port.y + top_px };
}
