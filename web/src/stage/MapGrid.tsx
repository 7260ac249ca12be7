import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useState } from "react";

interface GridProps {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Number of cells. */
  readonly count: number;
  /** Cells passed by Right and Left. */
  readonly across: number;
  /** Cells passed by Right and Left when addresses run down the columns. */
  readonly down?: number;
  readonly cursor: number | null;
  readonly setCursor: (cell: number | null) => void;
  /** The cell at a point in CSS pixels of the unzoomed map. */
  readonly at: (x: number, y: number) => number | null;
  /** What a cell holds, in words. */
  readonly say: (cell: number) => string;
  /** Selects a cell, where cells can be selected. */
  readonly press?: (cell: number) => void;
  readonly children: ReactNode;
}

/** The map's cursor for pointer and keyboard; the picture inside is decoration to a screen reader. */
export function MapGrid(props: GridProps) {
  const { label, width, height, count, cursor, setCursor, at, say, press, children } = props;
  const [isByKey, setByKey] = useState(false);
  const locate = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    // The stage may be zoomed: distances on screen are not the map's own pixels.
    const zoom = box.width / width || 1;
    return at((event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom);
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
      onPointerMove={(event) => {
        setByKey(false);
        setCursor(locate(event));
      }}
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

function nextCell(key: string, cell: number, { across, down, count }: GridProps): number | null {
  const right = down ?? 1;
  const below = down === undefined ? across : 1;
  const moves: Record<string, number> = {
    ArrowRight: cell + right,
    ArrowLeft: cell - right,
    ArrowDown: cell + below,
    ArrowUp: cell - below,
    Home: 0,
    End: count - 1,
  };
  return moves[key] ?? null;
}
