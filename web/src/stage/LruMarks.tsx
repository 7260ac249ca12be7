import { useWorkbenchState } from "../app/context";
import { litHovered, litSelected } from "../app/selection";
import {
  HAND_ROW,
  type HandPage,
  LRU_LISTS,
  type LruLayout,
  type LruRow,
  lruPage,
  NOW,
  SLOTS,
  slotPlace,
} from "../draw/lru-lists";

/** Marks of the reclaim end of each list, the page being checked, and hovered or selected items. */
export function LruMarks({
  layout,
  rows,
  hand,
  scanned,
  point,
}: {
  layout: LruLayout;
  rows: readonly LruRow[];
  hand: readonly HandPage[];
  scanned: number | null;
  /** The tile under the pointer. */
  point: { readonly row: number; readonly place: number } | null;
}) {
  const hovered = useWorkbenchState(litHovered);
  const selected = useWorkbenchState(litSelected);
  const now = hand.findIndex(({ fate }) => fate === NOW);
  const ring = (key: string, look: string) =>
    placesOf(rows, hand, key).map(({ row, place }) => (
      <Box key={`${look} ${row} ${place}`} layout={layout} row={row} place={place} look={look} />
    ));
  return (
    <svg className="overlay" width={layout.width} height={layout.height} aria-hidden="true">
      {LRU_LISTS.map(
        ({ list }, row) =>
          layout.lines[row] !== null && (
            <path
              key={list}
              d={`M${layout.width - 2} ${slotPlace(layout, row, 0).y - 2}v16`}
              className={list === scanned ? "tail now" : "tail"}
            />
          ),
      )}
      <path className="reread" d={rereadPath(layout, rows)} />
      {hovered.map((key) => ring(key, "hover"))}
      {selected.map((key) => ring(key, "select"))}
      {point && <Box layout={layout} {...point} look="hover" />}
      {now >= 0 && <Cursor layout={layout} place={now} />}
    </svg>
  );
}

/** A dash over each page that was read back after reclaim had evicted it. */
function rereadPath(layout: LruLayout, rows: readonly LruRow[]): string {
  let path = "";
  rows.forEach(({ list }, row) => {
    for (let place = 0; place < SLOTS; place += 1) {
      if (!lruPage(list, place)?.isReread) continue;
      const { x, y } = slotPlace(layout, row, place);
      path += `M${x} ${y - 1.5}h${layout.tile_px - 1}`;
    }
  });
  return path;
}

function placesOf(rows: readonly LruRow[], hand: readonly HandPage[], key: string) {
  if (!key.startsWith("page ")) return [];
  const pfn = Number(key.slice(5));
  const found: { row: number; place: number }[] = [];
  const look = (row: number, place: number, page: { pfn: number } | null | undefined) => {
    if (page?.pfn === pfn) found.push({ row, place });
  };
  for (let place = 0; place < SLOTS; place += 1) {
    rows.forEach(({ list }, row) => {
      look(row, place, lruPage(list, place));
    });
    look(HAND_ROW, place, hand[place]);
  }
  return found;
}

function Box({
  layout,
  row,
  place,
  look,
}: {
  layout: LruLayout;
  row: number;
  place: number;
  look: string;
}) {
  const { x, y } = slotPlace(layout, row, place);
  return (
    <g className={`ring ${look}`}>
      <rect x={x - 1.5} y={y - 1.5} width={layout.tile_px + 2} height={15} />
    </g>
  );
}

function Cursor({ layout, place }: { layout: LruLayout; place: number }) {
  const { x, y } = slotPlace(layout, HAND_ROW, place);
  const middle = x + (layout.tile_px - 1) / 2;
  return (
    <>
      <Box layout={layout} row={HAND_ROW} place={place} look="now" />
      <path className="scan" d={`M${middle - 4} ${y - 7}h8l-4 5z`} />
    </>
  );
}
