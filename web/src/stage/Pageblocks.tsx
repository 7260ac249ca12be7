import "./pageblocks.css";
import { type ReactNode, useMemo, useState } from "react";
import { useWorkbenchState } from "../app/context";
import type { TileLayout } from "../draw/map/pagemap";
import { ownerWords } from "../draw/reclaim";
import { runMarks } from "../draw/scanners";
import {
  cellAtPoint,
  mergeCells,
  mostColumns,
  readStrip,
  type ScaleBars,
  type StripLayout,
  scaleBars,
  stripLayout,
} from "../draw/strip";
import { paintStrip } from "../draw/strip-paint";
import type { NodeMap } from "../engine/protocol";
import type { Info, NodeInfo, PageblocksView, View } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { Name } from "../ui/lit";
import { usePalette } from "../ui/theme";
import { type FaceGroup, FaceTabs } from "./FaceTabs";
import { TypeKey } from "./map/CornerKeys";
import { MapGrid } from "./map/MapGrid";
import { OwnerTabs } from "./OwnerTabs";
import {
  absentWords,
  blocksWords,
  cellWords,
  deferWords,
  doingWords,
  passedWords,
  runWords,
  shortBlocksWords,
} from "./pageblock-words";
import { Rounds } from "./Rounds";
import { Scanners } from "./Scanners";
import { PAGEBLOCKS } from "./words";

/** Height of a block's tiles: 64 pages fill four columns of 16. */
const HIGH_PX = 64;
/** A strip up to this width has room for short words only. */
const NARROW_PX = 480;
/** Width of a block, if the blocks may take several rows. */
const WIDE_PX = 14;

interface PageblocksProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  readonly map: NodeMap;
  /** The available width. */
  readonly width_px: number;
  /** One row, however narrow the blocks are; otherwise as many rows as needed. */
  readonly isOneRow: boolean;
  /** The faces that share its place; null if there are none. */
  readonly place: FaceGroup | null;
}

/** The pageblocks of one of a node's zones, with the scanners of compaction above them. */
export function Pageblocks(props: PageblocksProps) {
  const { node, view, place } = props;
  const chosen = useWorkbenchState((state) => state.lists[String(node.id)]);
  const here = view.pageblocks.filter(({ zone }) => zone.startsWith(`${node.id}/`));
  const current =
    here.find(({ zone }) => zone === chosen) ??
    here.find(({ run }) => run?.end === null) ??
    here.find(({ run }) => run !== null) ??
    here.at(-1);
  if (!current) return null;
  const isOnly = here.length === 1;
  return (
    <section
      className="pageblocks"
      data-one-row={props.isOneRow || undefined}
      aria-label={PAGEBLOCKS.pageblocksOf(ownerWords(current.zone))}
    >
      <Strip key={current.zone} {...props} blocks={current}>
        {place ? <FaceTabs of={place} /> : <span className="label">{PAGEBLOCKS.pageblocks}</span>}
        {!isOnly && (
          <OwnerTabs
            node={node.id}
            what={PAGEBLOCKS.pageblocks}
            owners={here.map(({ zone }) => zone)}
            owner={current.zone}
          />
        )}
      </Strip>
    </section>
  );
}

function Strip({
  info,
  node,
  view,
  map,
  width_px,
  isOneRow,
  blocks,
  children,
}: PageblocksProps & { blocks: PageblocksView; children: ReactNode }) {
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const cells = useMemo(() => {
    const zones = view.zones.filter(({ node: of }) => of === node.id);
    return readStrip({ info, node, zones, blocks }, map);
  }, [info, node, view, blocks, map]);
  const current = useMemo(
    () => (isOneRow ? mergeCells(cells, mostColumns(width_px)) : cells),
    [cells, isOneRow, width_px],
  );
  const layout = useMemo(
    () =>
      stripLayout(current.length, current[0]?.span ?? 1, {
        width: width_px,
        high_px: HIGH_PX,
        ...(isOneRow ? {} : { wide_px: WIDE_PX }),
      }),
    [current, isOneRow, width_px],
  );
  const marks = useMemo(
    () =>
      blocks.run &&
      runMarks(blocks.run, current, layout, {
        block: 2 ** info.pageblock_order,
        types: info.migratetypes,
      }),
    [blocks, current, layout, info],
  );
  const say = (at: number) => {
    const cell = current[at];
    return cell ? cellWords(cell, info, marks?.passed.get(at)) : PAGEBLOCKS.noBlockHere;
  };
  return (
    <>
      <div className="hd">
        {children}
        <TypeKey />
        <span className="cap" title={blocksWords(current, info)}>
          {width_px < NARROW_PX ? shortBlocksWords(current, info) : blocksWords(current, info)}
        </span>
        <Scale bars={scaleBars(layout, current, info)} />
      </div>
      <MapGrid
        label={PAGEBLOCKS.pageblocksOf(ownerWords(blocks.zone))}
        layout={gridOf(layout, current.length)}
        count={current.length}
        cursor={cursor}
        setCursor={setCursor}
        say={say}
        at={(x, y) => cellAtPoint(layout, current.length, { x, y })}
      >
        <Canvas
          width={layout.width}
          height={layout.height}
          draw={(g) => paintStrip(g, layout, current, palette)}
        />
        <Scanners layout={layout} marks={marks} cursor={cursor} />
      </MapGrid>
      <div className="said">
        <div>
          {cursor === null ? (
            <RunSentence info={info} view={view} blocks={blocks} />
          ) : (
            <p>{say(cursor)}</p>
          )}
        </div>
        {view.rounds.map((rounds) => (
          <Rounds key={rounds.name} rounds={rounds} />
        ))}
      </div>
    </>
  );
}

/** A pageblock of most machines next to one of this machine, both to scale with the strip. */
function Scale({ bars }: { bars: ScaleBars | null }) {
  if (!bars) return null;
  const { pair, times } = bars;
  const words = pair.map(({ name }) => name).join(" and ");
  return (
    <span className="scale" role="img" aria-label={PAGEBLOCKS.drawnToScale(words)}>
      {pair.map(({ name, px }) => (
        <span key={name}>
          <i style={{ width: px }} />
          {name}
        </span>
      ))}
      {times > 1 && <small>{PAGEBLOCKS.drawnSizeBelow(times)}</small>}
    </span>
  );
}

/** Keys move from block to block, and from row to row. */
function gridOf({ per_row, width, height, block_px }: StripLayout, cells: number): TileLayout {
  const bands = [{ zone: "", name: "", first: 0, frames: cells, first_pfn: 0, y: 0 }];
  return { columns: per_row, tile_px: block_px, width, height, bands };
}

/**
 * The compacting task, its isolated pages and the blocks that it skipped; or the reason why no task
 * compacts.
 */
function RunSentence({
  info,
  view,
  blocks,
}: Pick<PageblocksProps, "info" | "view"> & { blocks: PageblocksView }) {
  const { run } = blocks;
  const absent = absentWords(info);
  if (absent !== null) return <p>{absent}</p>;
  const defers = deferWords(blocks);
  if (!run) return <p>{PAGEBLOCKS.noCompactionRunning(defers ?? "")}</p>;
  const task = view.tasks.find(({ id }) => id === run.task);
  return (
    <>
      <p>
        <Name k={`task ${run.task}`}>{task?.name ?? PAGEBLOCKS.task(run.task)}</Name>{" "}
        {runWords(run, info)}
      </p>
      <p>
        {doingWords(run)} {passedWords(run, info)} {defers}
      </p>
    </>
  );
}
