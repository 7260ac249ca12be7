import { useWorkbenchState } from "../app/context";
import { litHovered, litSelected } from "../app/selection";
import {
  columnOf,
  columnX,
  GEN_HAND_ROW,
  GEN_HEAD_PX,
  GEN_TYPES,
  type GenLayout,
  type GenLists,
  type GenSlot,
  genPage,
  genTile,
  handTile,
  rowTiles,
  tilesY,
} from "../draw/generations";
import { type HandPage, NOW } from "../draw/lru-lists";
import type { GenerationsView } from "../engine/types";

interface MarksProps {
  readonly layout: GenLayout;
  readonly owner: GenerationsView;
  readonly lists: readonly GenLists[];
  readonly hand: readonly HandPage[];
  /** The type of which reclaim has isolated pages. */
  readonly scanned: number | null;
  /** The tile under the pointer. */
  readonly point: GenSlot | null;
}

/** Marks of the generations that are evicted from, of a walk, and of hovered and selected pages. */
export function GenerationMarks({ layout, owner, lists, hand, scanned, point }: MarksProps) {
  const hovered = useWorkbenchState(litHovered);
  const selected = useWorkbenchState(litSelected);
  const now = hand.findIndex(({ fate }) => fate === NOW);
  const ring = (key: string, look: string) =>
    slotsOf(layout, owner, lists, hand, key).map((slot) => (
      <Box key={`${look} ${slot.row} ${slot.column} ${slot.place}`} {...{ layout, slot, look }} />
    ));
  const youngest = columnOf(owner.generations.length - 1);
  return (
    <svg className="overlay" width={layout.width} height={layout.height} aria-hidden="true">
      {GEN_TYPES.map(({ type }, row) => {
        const oldest = owner.generations.findIndex(({ seq }) => seq === owner.min_seq[type]);
        if (oldest < 0) return null;
        const x = columnX(layout, columnOf(oldest)) + layout.column_px + 1;
        return (
          <path
            key={type}
            d={`M${x} ${tilesY(row) - 2}v16`}
            className={type === scanned ? "tail now" : "tail"}
          />
        );
      })}
      {owner.walking && (
        <path
          className="gen-walk"
          d={`M${columnX(layout, youngest)} ${GEN_HEAD_PX - 1}h${layout.column_px}`}
        />
      )}
      {hovered.map((key) => ring(key, "hover"))}
      {selected.map((key) => ring(key, "select"))}
      {point && <Box layout={layout} slot={point} look="hover" />}
      {now >= 0 && <Now layout={layout} place={now} />}
    </svg>
  );
}

function slotsOf(
  layout: GenLayout,
  owner: GenerationsView,
  lists: readonly GenLists[],
  hand: readonly HandPage[],
  key: string,
): GenSlot[] {
  if (!key.startsWith("page ")) return [];
  const pfn = Number(key.slice(5));
  const found: GenSlot[] = [];
  owner.generations.forEach((_, generation) => {
    GEN_TYPES.forEach(({ type }, row) => {
      const list = lists[generation]?.[type];
      for (let place = 0; list && place < layout.tiles; place += 1) {
        if (genPage(list, place)?.pfn === pfn) {
          found.push({ row, column: columnOf(generation), place });
        }
      }
    });
  });
  const held = hand.findIndex((page) => page.pfn === pfn);
  if (held >= 0 && held < rowTiles(layout)) {
    found.push({ row: GEN_HAND_ROW, column: 0, place: held });
  }
  return found;
}

const corner = (layout: GenLayout, { row, column, place }: GenSlot) =>
  row === GEN_HAND_ROW ? handTile(layout, place) : genTile(layout, row, column, place);

function Box({ layout, slot, look }: { layout: GenLayout; slot: GenSlot; look: string }) {
  const { x, y } = corner(layout, slot);
  return (
    <g className={`ring ${look}`}>
      <rect x={x - 1.5} y={y - 1.5} width={layout.tile_px + 2} height={15} />
    </g>
  );
}

/** The isolated page that is being checked. */
function Now({ layout, place }: { layout: GenLayout; place: number }) {
  const slot = { row: GEN_HAND_ROW, column: 0, place };
  const { x, y } = corner(layout, slot);
  const middle = x + (layout.tile_px - 1) / 2;
  return (
    <>
      <Box layout={layout} slot={slot} look="now" />
      <path className="scan" d={`M${middle - 4} ${y - 7}h8l-4 5z`} />
    </>
  );
}
