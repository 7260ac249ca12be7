import "./free-history.css";
import { useEffect, useMemo, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import {
  columnAt,
  type HealingColumn,
  type HealingLayout,
  healingColumns,
  healingLayout,
  leastUsable,
  NAME_PX,
  namedOrders,
  pagesIn,
  readBlocks,
  rowTop,
  usable,
} from "../draw/healing";
import { paintHealing } from "../draw/healing-paint";
import type { TileLayout } from "../draw/map/pagemap";
import { count, percent, size } from "../engine/format";
import { LastAsked } from "../engine/last-asked";
import type { Info, ZoneView } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { usePhone } from "../ui/fit";
import { usePalette } from "../ui/theme";
import { MapGrid } from "./map/MapGrid";
import { FREE_HISTORY } from "./words";

/** Width of the orders' names, the same as in the table. */
const NAMES_PX = 86;
/** Width of a moment's column; narrower columns are hard to point at. */
const COLUMN_PX = 4;
/** Height in place of the table: next to the tanks, and below the map. */
const HIGH_PX = { beside: 119, below: 80 };
/** On a phone a row is as high as a row of the table. */
const TALL_PX = 24;

interface HistoryProps {
  readonly info: Info;
  readonly zone: ZoneView;
  /** The zone's index in the view. */
  readonly place: number;
  readonly now_ns: number;
  readonly width_px: number;
  /** Whether it is next to the zones' fill levels. */
  readonly isBeside: boolean;
}

/**
 * A zone's free blocks over the run, one row for each order: how much free memory each order has.
 */
export function FreeHistory({ info, zone, place, now_ns, width_px, isBeside }: HistoryProps) {
  const workbench = useWorkbench();
  const palette = usePalette();
  const isPhone = usePhone();
  // Stored as a position, because the meaning of a cell's number changes when the run gets more
  // columns.
  const [chosen, setChosen] = useState<CellPosition | null>(null);
  const rows = useBlocks(place);
  const { orders } = info;
  const largest = largestOrder(info);
  const plot_px = Math.max(COLUMN_PX, width_px - NAMES_PX);
  const columns = useMemo(
    () => (rows ? healingColumns(readBlocks(rows, orders), plot_px / COLUMN_PX) : []),
    [rows, orders, plot_px],
  );
  const layout = useMemo(
    () =>
      healingLayout(orders, columns.length, {
        width: plot_px,
        height: isPhone ? TALL_PX * orders : HIGH_PX[isBeside ? "beside" : "below"],
      }),
    [orders, columns.length, plot_px, isPhone, isBeside],
  );
  const many = orders * columns.length;
  const now = columnAt(columns, now_ns);
  const placeOf = (cell: number) => placeIn(columns.length, orders, cell);
  const pointed = chosen && chosen.at < columns.length ? chosen : null;
  const say = ({ order, at }: CellPosition) => {
    const column = columns[at];
    return column ? cellWords(order, column, info) : FREE_HISTORY.noDataYet;
  };
  const named = namedOrders(orders, largest, layout.row_px);
  return (
    <div className="free-history">
      <p className="cap">{pointed ? say(pointed) : sumWords(zone, columns, { info, largest })}</p>
      <div className="of-orders">
        <svg width={NAMES_PX} height={layout.height} aria-hidden="true">
          {named.map((order) => (
            <text
              key={order}
              x="0"
              y={nameY(layout, orders, order)}
              className={order === largest ? "wanted" : undefined}
            >
              {order === largest
                ? FREE_HISTORY.wanted(order)
                : `${order}, ${size(2 ** order, info.page_size)}`}
            </text>
          ))}
        </svg>
        <MapGrid
          label={FREE_HISTORY.freeBlocks(zone.name, zone.node)}
          layout={gridOf(layout, columns.length, many)}
          count={many}
          cursor={pointed && (orders - 1 - pointed.order) * columns.length + pointed.at}
          setCursor={(cell) => setChosen(cell === null ? null : placeOf(cell))}
          say={(cell) => say(placeOf(cell))}
          at={(x, y) => {
            const [column, row] = [Math.floor(x / layout.column_px), Math.floor(y / layout.row_px)];
            const isIn = column >= 0 && column < columns.length && row >= 0 && row < orders;
            return isIn ? row * columns.length + column : null;
          }}
          press={(cell) => {
            const column = columns[placeOf(cell).at];
            if (column) workbench.transport.seek({ kind: "time", time_ns: column.to_ns });
          }}
        >
          <Canvas
            width={layout.width}
            height={layout.height}
            draw={(g) =>
              paintHealing(g, layout, columns, { orders, requested: largest, now, palette })
            }
          />
          <svg className="overlay" width={layout.width} height={layout.height} aria-hidden="true">
            <path className="now" d={`M${playheadX(layout, columns, now_ns)} 0V${layout.height}`} />
            {pointed && (
              <rect
                className="hover"
                x={pointed.at * layout.column_px}
                y={rowTop(layout, orders, pointed.order)}
                width={Math.max(3, layout.column_px)}
                height={layout.row_px}
              />
            )}
          </svg>
        </MapGrid>
      </div>
    </div>
  );
}

/** The largest requested order; null if only single pages are requested. */
const largestOrder = ({ largest_order }: Info): number | null =>
  largest_order > 0 ? largest_order : null;

/** A zone's rows, requested again whenever the timeline changes. */
function useBlocks(zone: number): Float64Array | null {
  const workbench = useWorkbench();
  const timeline = useWorkbenchState((state) => state.session?.timeline);
  const [asked] = useState(() => new LastAsked());
  const [found, setFound] = useState<{ zone: number; rows: Float64Array } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the data changes with the timeline
  useEffect(() => {
    void asked
      .ask(async (heard) => {
        const { rows } = await heard(workbench.ask({ kind: "free-blocks", zone }));
        setFound({ zone, rows });
      })
      // Another experiment was opened: its own timeline follows.
      .catch(() => {});
    return () => asked.stop();
  }, [workbench, asked, zone, timeline]);
  return found?.zone === zone ? found.rows : null;
}

/** The position of a cell. */
interface CellPosition {
  readonly order: number;
  /** The index of the column, from the first column on. */
  readonly at: number;
}

/** Cells are numbered row by row, from the largest order down. */
const placeIn = (columns: number, orders: number, cell: number): CellPosition => ({
  order: orders - 1 - Math.floor(cell / Math.max(1, columns)),
  at: cell % Math.max(1, columns),
});

/** Keys move from moment to moment, and from order to order. */
function gridOf(
  { width, height, column_px }: HealingLayout,
  columns: number,
  count: number,
): TileLayout {
  const bands = [{ zone: "", name: "", first: 0, frames: count, first_pfn: 0, y: 0 }];
  return { columns: Math.max(1, columns), tile_px: column_px, width, height, bands };
}

function playheadX({ width }: HealingLayout, columns: readonly HealingColumn[], now_ns: number) {
  const known_ns = columns.at(-1)?.to_ns ?? 0;
  const x = known_ns > 0 ? (width * Math.min(now_ns, known_ns)) / known_ns : 0;
  return Math.min(width - 1, Math.max(1, x)).toFixed(1);
}

/** The height of an order's name. */
const nameY = (layout: HealingLayout, orders: number, order: number): number => {
  const middle = rowTop(layout, orders, order) + layout.row_px / 2 + 4;
  return Math.min(layout.height - 2, Math.max(NAME_PX - 5, middle));
};

/** The free blocks of an order at a moment. */
function cellWords(order: number, { to_ns, blocks }: HealingColumn, info: Info): string {
  const many = blocks[order] ?? 0;
  const free = pagesIn(blocks);
  const share = free === 0 ? 0 : (many * 2 ** order) / free;
  const held = many === 0 ? "none" : `${count(many)}, ${percent(share)}`;
  return FREE_HISTORY.atSOfFreePages(order, info.page_size, to_ns, held, free);
}

/** The share of free memory in blocks that are large enough, now and at its minimum. */
function sumWords(
  zone: ZoneView,
  columns: readonly HealingColumn[],
  { info, largest }: { info: Info; largest: number | null },
): string {
  if (largest === null) return FREE_HISTORY.oneRowPerOrder;
  const now = percent(usable(zone.nr_free, largest));
  const least = leastUsable(columns, largest);
  const was = least ? FREE_HISTORY.lowestAtS(least.share, least.column.to_ns) : "";
  return FREE_HISTORY.ofFreeMemory(now, 2 ** largest, info.page_size, was);
}
