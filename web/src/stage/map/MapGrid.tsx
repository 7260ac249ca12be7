import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import type { Point, Port } from "../../draw/map/levels";
import { frameAt, type TileLayout, tileBelow } from "../../draw/map/pagemap";
import { MAP_GRID } from "./words";

interface GridProps {
  readonly label: string;
  readonly layout: TileLayout;
  /** Number of cells. */
  readonly count: number;
  readonly cursor: number | null;
  /** By keyboard the cursor may leave the view, which then scrolls to it. */
  readonly setCursor: (cell: number | null, isByKey: boolean) => void;
  /** The contents of a cell in words. */
  readonly say: (cell: number) => string;
  /** The cell under a point, if cells are not square tiles. */
  readonly at?: (x: number, y: number) => number | null;
  /** Selects a cell, if cells can be selected. */
  readonly press?: ((cell: number) => void) | undefined;
  /** Opens a cell, around the point of the view under the pointer. */
  readonly enter?: ((cell: number, at: Point | null) => void) | undefined;
  /** The part of the layout in view; default: all of it. */
  readonly port?: Port | undefined;
  readonly children: ReactNode;
}

/** The map's cursor for pointer and keyboard; screen readers ignore the picture inside. */
export function MapGrid(props: GridProps) {
  const { label, layout, count, cursor, setCursor, say, at, press, enter, children } = props;
  const { x: left, y: top, width, height } = props.port ?? { x: 0, y: 0, ...layout };
  const [isByKey, setByKey] = useState(false);
  const isTouch = useRef(false);
  const lay = useRef<Point>({ x: -1, y: -1 });
  const pointOf = (event: { clientX: number; clientY: number; currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    // On a zoomed stage, distances on screen differ from the map's own pixels.
    const zoom = box.width / width || 1;
    return { x: (event.clientX - box.left) / zoom, y: (event.clientY - box.top) / zoom };
  };
  const cellUnder = (event: MouseEvent<HTMLElement>) => {
    const { x, y } = pointOf(event);
    return at ? at(x, y) : frameAt(layout, x + left, y + top);
  };
  const follow = (event: PointerEvent<HTMLElement>) => {
    // If the map changes under a resting pointer, the keyboard keeps the cursor.
    const isStill = lay.current.x === event.clientX && lay.current.y === event.clientY;
    lay.current = { x: event.clientX, y: event.clientY };
    if (isStill && event.type === "pointermove") return;
    setByKey(false);
    isTouch.current = event.pointerType === "touch";
    setCursor(cellUnder(event), false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nextCell(event.key, cursor ?? 0, props);
    if (event.key === "Enter" && cursor !== null) enter ? enter(cursor, null) : press?.(cursor);
    else if (event.key === " " && cursor !== null && press) press(cursor);
    else if (next === null) return;
    // Without cells the cursor has no target.
    else if (count === 0) setCursor(null, true);
    else setCursor(Math.min(count - 1, Math.max(0, next)), true);
    setByKey(true);
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a canvas cannot be a table; this is its one live cell
    <div
      role="grid"
      aria-label={enter ? MAP_GRID.zoomable(label) : MAP_GRID.keys(label)}
      tabIndex={0}
      className={props.port ? "map-grid zoomed" : "map-grid"}
      style={{ width, height }}
      onKeyDown={onKeyDown}
      onFocus={() => setByKey(true)}
      onBlur={() => setCursor(null, false)}
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={() => setCursor(null, false)}
      onClick={(event) => {
        // After a touch has ended, there is no cursor any more.
        const cell = cellUnder(event);
        if (cell === null) return;
        if (isTouch.current && enter) enter(cell, pointOf(event));
        // The second press of a double-click opens the cell and does not undo the selection.
        else if (event.detail < 2) press?.(cell);
      }}
      onDoubleClick={(event) => {
        const cell = isTouch.current ? null : cellUnder(event);
        if (cell !== null) enter?.(cell, pointOf(event));
      }}
    >
      {children}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="row" tabIndex={-1} className="sr">
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div role="gridcell" tabIndex={-1} aria-live={isByKey ? "polite" : "off"}>
          {cursor === null ? MAP_GRID.noCellSelected : say(cursor)}
        </div>
      </div>
    </div>
  );
}

function nextCell(key: string, cell: number, { layout, count }: GridProps): number | null {
  const moves: Record<string, number> = {
    ArrowRight: cell + 1,
    ArrowLeft: cell - 1,
    ArrowDown: tileBelow(layout, cell, 1),
    ArrowUp: tileBelow(layout, cell, -1),
    Home: 0,
    End: count - 1,
  };
  return moves[key] ?? null;
}
