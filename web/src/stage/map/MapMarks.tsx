import { useWorkbenchState } from "../../app/context";
import { litHovered, litSelected } from "../../app/selection";
import { cellsIn, type Port } from "../../draw/map/levels";
import { blockBoxes, framePlace, type TileLayout } from "../../draw/map/pagemap";
import { blockOf } from "../../engine/log-entry";
import type { View } from "../../engine/types";
import { MAP_MARKS } from "./words";

interface MarksProps {
  readonly layout: TileLayout;
  readonly view: View;
  readonly node: number;
  /** The tile of a page frame; null if it is on another node. */
  readonly indexOf: (pfn: number) => number | null;
  /** Has a tile no page of a state? */
  readonly isOff: (index: number, state: number) => boolean;
  /** A tile is one page, so a block has as many tiles as pages. */
  readonly hasBlocks: boolean;
  /** The part of the layout in view. */
  readonly port: Port;
  /** The cell under the pointer, if cells are not pages, which highlight everywhere. */
  readonly cursor: number | null;
}

/** Zone headings, the pages of the last step, and hovered or selected items. */
export function MapMarks(props: MarksProps) {
  const { layout, view, node, indexOf, isOff, hasBlocks, port, cursor } = props;
  const hovered = useWorkbenchState(litHovered);
  const selected = useWorkbenchState(litSelected);
  const deciding = view.events.flatMap((event) => {
    const block = blockOf(event);
    const index = block && indexOf(block.pfn);
    return block && index !== null ? [{ index, tiles: hasBlocks ? block.pages : 1 }] : [];
  });
  const pageOf = (key: string) => {
    const [kind, pfn] = key.split(" ");
    const index = kind === "page" ? indexOf(Number(pfn)) : null;
    return index === null ? [] : [index];
  };
  // A hovered state takes precedence over a selected one, which stays as a filter.
  const state = [...hovered, ...selected].find((key) => key.startsWith("state "));
  const lit = state ? Number(state.slice(6)) : null;
  return (
    <svg
      className="overlay"
      width={port.width}
      height={port.height}
      viewBox={`${port.x} ${port.y} ${port.width} ${port.height}`}
      aria-hidden="true"
    >
      {layout.bands.map(
        ({ zone, name, y, first_pfn }) =>
          name && (
            <g key={zone} className={hovered.includes(`zone ${zone}`) ? "band lit-hover" : "band"}>
              {/* A heading stays visible however far its rows are scrolled sideways. */}
              <text x={port.x} y={y - 4}>
                {name} <tspan className="dim">{MAP_MARKS.onNode(node)}</tspan>
              </text>
              <text x={port.x + port.width} y={y - 4} textAnchor="end" className="dim">
                {MAP_MARKS.firstFromPfn(first_pfn)}
              </text>
            </g>
          ),
      )}
      {lit !== null && <Fade layout={layout} port={port} isFaded={(index) => isOff(index, lit)} />}
      {cursor !== null && <Ring layout={layout} from={cursor} tiles={1} look="hover" />}
      {hovered.flatMap(pageOf).map((index) => (
        <Ring key={index} layout={layout} from={index} tiles={1} look="hover" />
      ))}
      {selected.flatMap(pageOf).map((index) => (
        <Ring key={index} layout={layout} from={index} tiles={1} look="select" />
      ))}
      {deciding.map(({ index, tiles }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two events may concern one tile
        <Ring key={`now ${i}`} layout={layout} from={index} tiles={tiles} look="now" />
      ))}
    </svg>
  );
}

/** Highlights pages of one state by fading the others. */
function Fade({
  layout,
  port,
  isFaded,
}: {
  layout: TileLayout;
  port: Port;
  isFaded: (index: number) => boolean;
}) {
  const { tile_px } = layout;
  let path = "";
  for (const [from, to] of cellsIn(layout, port)) {
    for (let index = from; index < to; index += 1) {
      const place = isFaded(index) ? framePlace(layout, index) : null;
      if (place) path += `M${place.x} ${place.y}h${tile_px}v${tile_px}h${-tile_px}z`;
    }
  }
  return <path d={path} className="fade" />;
}

/** An outline around several tiles, from one on. */
export function Ring({
  layout,
  from,
  tiles,
  look,
}: {
  layout: TileLayout;
  from: number;
  tiles: number;
  look: "hover" | "select" | "now";
}) {
  return (
    <>
      {blockBoxes(layout, from, from + tiles).map(({ x, y, w, h }) => (
        <g key={`${x} ${y}`} className={`ring ${look}`}>
          <rect x={x - 2} y={y - 2} width={w + 3} height={h + 3} className="gap" />
          <rect x={x - 2} y={y - 2} width={w + 3} height={h + 3} />
        </g>
      ))}
    </>
  );
}
