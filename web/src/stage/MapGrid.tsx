import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useState } from "react";
import { frameAt, type TileLayout, tileBelow } from "../draw/pagemap";

interface GridProps {
  readonly label: string;
  readonly layout: TileLayout;
  /** Number of cells. */
  readonly count: number;
  readonly cursor: number | null;
  readonly setCursor: (cell: number | null) => void;
  /** What a cell holds, in words. */
  readonly say: (cell: number) => string;
  /** The cell under a point, where cells are no square tiles. */
  readonly at?: (x: number, y: number) => number | null;
  /** Selects a cell, where cells can be selected. */
  readonly press?: (cell: number) => void;
  readonly children: ReactNode;
}

/** The map's cursor for pointer and keyboard; the picture inside is decoration to a screen reader. */
export function MapGrid(props: GridProps) {
  const { label, layout, count, cursor, setCursor, say, at, press, children } = props;
  const { width, height } = layout;
  const [isByKey, setByKey] = useState(false);
  const locate = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    // The stage may be zoomed: distances on screen are not the map's own pixels.
    const zoom = box.width / width || 1;
    const x = (event.clientX - box.left) / zoom;
    const y = (event.clientY - box.top) / zoom;
    return at ? at(x, y) : frameAt(layout, x, y);
  };
  const follow = (event: PointerEvent<HTMLElement>) => {
    setByKey(false);
    setCursor(locate(event));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextCell(event.key, cursor ?? 0, props);
    if (event.key === "Enter" && cursor !== null) press?.(cursor);
    else if (next === null) return;
    else setCursor(Math.min(count - 1, Math.max(0, next)));
    setByKey(true);
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a canvas cannot be a table; this is its one live cell
    <div
      role="grid"
      aria-label={`${label}; arrow keys move from cell to cell`}
      tabIndex={0}
      className="map-grid"
      style={{ width, height }}
      onKeyDown={onKeyDown}
      onFocus={() => setByKey(true)}
      onBlur={() => setCursor(null)}
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={() => setCursor(null)}
      onClick={() => cursor !== null && press?.(cursor)}
    >
      {children}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="row" tabIndex={-1} className="sr">
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div role="gridcell" tabIndex={-1} aria-live={isByKey ? "polite" : "off"}>
          {cursor === null ? "no cell chosen" : say(cursor)}
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
