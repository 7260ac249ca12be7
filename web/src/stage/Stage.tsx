import { lazy, memo, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import { type Arrangement, NODE_GAP_PX } from "../draw/arrange";
import { readLruPages, stillEmpty } from "../draw/lru-lists";
import { cellSpan } from "../draw/map/cellmap";
import { memoryRoom } from "../draw/memory-nodes";
import type { Squeeze } from "../draw/share";
import type { Frame } from "../engine/protocol";
import { hasReclaimWaits, readSeries } from "../engine/rows";
import type { Info, View } from "../engine/types";
import { afterFirstFigure, firstFigureDrawn } from "../ui/first-figure";
import { usePhone } from "../ui/fit";
import { AgedPages } from "./AgedPages";
import { zoneColumns } from "./columns";
import { type FaceGroup, type MoreFaces, MoreFacesContext } from "./FaceTabs";
import { FreeLists } from "./FreeLists";
import { Io } from "./Io";
import { Legend } from "./Legend";
import { Levels } from "./Levels";
import { More } from "./More";
import { PageMap } from "./map/PageMap";
import { useZoomRequests } from "./map/zoom-requests";
import { NodePanel } from "./NodePanel";
import { RouteLine } from "./RouteLine";
import { useRoom } from "./room";
import { showsProcesses } from "./shows-processes";
import { Tasks } from "./Tasks";
import { type Runner, useRunner } from "./TaskTabs";
import { STAGE } from "./words";

const QueuesFace = lazy(async () => ({ default: (await fetchQueues()).QueuesFace }));
const QueuesPart = lazy(async () => ({ default: (await fetchQueues()).QueuesPart }));
const WaitLines = lazy(async () => {
  const { WaitLines: W } = await afterFirstFigure(() => import("./WaitLines"));
  return { default: W };
});
const fetchQueues = () => afterFirstFigure(() => import("./Queues"));
const Cpus = lazy(async () => {
  const { Cpus: C } = await afterFirstFigure(() => import("./Cpus"));
  return { default: C };
});
const Processes = lazy(async () => {
  const { Processes: P } = await afterFirstFigure(() => import("./Processes"));
  return { default: P };
});
const MemoryNodes = lazy(async () => {
  const { MemoryNodes: M } = await afterFirstFigure(() => import("./MemoryNodes"));
  return { default: M };
});
const Groups = lazy(async () => {
  const { Groups: G } = await afterFirstFigure(() => import("./Groups"));
  return { default: G };
});
const PagePair = lazy(async () => {
  const { PagePair: P } = await afterFirstFigure(() => import("./PagePair"));
  return { default: P };
});
const ZoneLines = lazy(async () => {
  const { ZoneLines: Z } = await afterFirstFigure(() => import("./ZoneLines"));
  return { default: Z };
});
const Pageblocks = lazy(async () => {
  const { Pageblocks: P } = await afterFirstFigure(() => import("./Pageblocks"));
  return { default: P };
});

/** Rows of a node: zones, legend, map, lists, and free lists if they have a place of their own. */
const NODE_ROWS = 5;
/** A stage up to this width is above its text: pageblocks then have one row. */
const ABOVE_TEXT_PX = 640;
/** Next to a text free lists and LRU lists share one place. */
const TEXT_ROWS = 4;
/** If a text is about nodes, memory by node and CPUs are above them. */
const ABOVE_ROWS = 2;

/** The subject of a text. */
export type About = "waits" | "compaction" | "free" | "nodes" | "zones" | "pair";

/** The content of a stage, and its context. */
export interface StageProps extends Pick<Session, "info" | "before"> {
  readonly frame: Frame;
  /** Whether to render everything below the zones, too. */
  readonly isRestNow: boolean;
  /** Next to a text: without devices, and with maps that cannot be zoomed. */
  readonly isInText?: boolean;
  /**
   * The subject of the text replaces the LRU lists: wait queues of reclaimers, pageblocks and
   * compaction, free lists, or memory by node and CPUs, which stand above the nodes. "zones"
   * replaces them with nothing, so that the zones of several nodes are visible together. "pair"
   * shows zones and maps alone, so that two machines fit next to each other.
   */
  readonly about?: About | undefined;
  /**
   * Moments of the run. Next to a text, a machine of one zone has room for the history of its free
   * pages.
   */
  readonly timeline?: Float64Array;
}

/**
 * The machine at one moment: nodes, zones, route, page maps, free lists and tasks. Everything below
 * the zones renders later, with the rest.
 */
export const Stage = memo(function Stage({ timeline, ...props }: StageProps) {
  const { info, frame, isRestNow, isInText = false, about } = props;
  const { view } = frame;
  const isPhone = usePhone();
  const { columns, isPair } = columnsOf(info, view, { isInText, about });
  const runner = useRunner();
  const room = useRoom(info.nodes.length, columns.length, {
    isPair,
    isRestNow,
    hasTimeline: !isInText,
    of: info,
    face: runner,
  });
  const { main, machine, arrangement, squeeze, isWhole, style } = room;
  const { abreast, has_lists_beside } = arrangement;
  const isOfPair = about === "pair";
  useCells(info, view, isInText && !isOfPair ? null : arrangement.cells);
  useZoomRequests(info, frame.maps);
  useEffect(() => {
    if (isWhole) firstFigureDrawn();
  }, [isWhole]);
  const isOfQueues = useQueuesInRun(view, isInText);
  // A zonelist walk over a single zone needs no route.
  const only = isInText && view.zones.length === 1 ? view.zones[0] : undefined;
  const Outer = isInText ? "section" : "main";
  const { width_px } = arrangement;
  const byNode = isWhole && (
    <>
      {(!isInText || about === "nodes") && hasRates(view) && (
        <MemoryByNode view={view} before={props.before} width_px={width_px} />
      )}
      <Running {...{ info, view, isInText, about, width_px }} cause={frame.cause} />
    </>
  );
  return (
    <Outer
      ref={main}
      className={isInText ? "stage small-stage" : "stage"}
      data-single={only ? true : undefined}
      data-about={about}
      aria-label={STAGE.machine}
    >
      <div
        ref={machine}
        className="machine"
        data-abreast={abreast}
        data-squeeze={squeeze}
        data-blocks={(!isInText && !isPhone && hasBlocks(info)) || undefined}
        data-beside={(!isInText && has_lists_beside) || undefined}
        data-queues={isOfQueues || undefined}
        data-pair={(isPair && abreast === 2) || undefined}
        style={style}
      >
        {about === "nodes" && byNode}
        {about === "zones" && (
          <Suspense>
            <ZoneLines view={view} />
          </Suspense>
        )}
        {!isPhone && !only && about !== "nodes" && (
          <RouteLine view={view} info={info} width_px={routeRoom(arrangement)} />
        )}
        <Nodes {...props} columns={columns} {...{ arrangement, squeeze, isWhole }} />
        {only && isPhone && about === "waits" && (
          <Suspense>
            <WaitLines
              node={only.node}
              view={view}
              width={arrangement.node_px - arrangement.zone_px}
            />
          </Suspense>
        )}
        {/* With cgroups, their tanks take the place of this chart. */}
        {only && timeline && view.groups.length === 0 && !(isPhone && about === "waits") && (
          <Levels
            timeline={timeline}
            zone={only}
            now_ns={view.position.time_ns}
            width={arrangement.node_px - arrangement.zone_px}
          />
        )}
        {isWhole && isPhone && !isInText && <Legend isOfCells={!info.teaching} />}
        {isWhole && !isOfPair && <GroupsPart {...{ info, view }} />}
        {about !== "nodes" && !isOfPair && byNode}
        {isWhole && !isInText && <Io info={info} view={view} />}
        {isWhole && (isPhone || isInText) && !isOfPair && about !== "waits" && hasQueues(view) && (
          <Suspense>
            <QueuesPart view={view} width_px={arrangement.width_px} />
          </Suspense>
        )}
      </div>
      {isWhole && !isInText && (
        <Suspense>
          <PagePair info={info} frame={frame} />
        </Suspense>
      )}
      <More stage={main} />
    </Outer>
  );
});

/** Does the cost of an access depend on the node of its page? */
const hasRates = ({ nodes }: View): boolean => nodes.some(({ memory }) => memory !== null);

/** Height of a row of memory cgroups. */
const GROUPS_PX = 182;

/**
 * Memory cgroups, and a placeholder until their code has loaded. They stand below the zones of the
 * only node, and below all nodes if there are several.
 */
function GroupsPart({
  info,
  view,
  isInNode = false,
}: {
  info: Info;
  view: View;
  isInNode?: boolean;
}) {
  if (view.groups.length === 0 || isInNode !== (info.nodes.length === 1)) return null;
  return (
    <Suspense fallback={<div className="groups" style={{ minHeight: GROUPS_PX }} />}>
      <Groups view={view} page_size={info.page_size} />
    </Suspense>
  );
}

/** Memory by node, and a placeholder until its code has loaded. */
function MemoryByNode(props: { view: View; before: View | null; width_px: number }) {
  const { height_px } = memoryRoom(props.view.nodes.length, props.width_px);
  return (
    <Suspense fallback={<div className="mem-nodes" style={{ minHeight: height_px }} />}>
      <MemoryNodes {...props} />
    </Suspense>
  );
}

/**
 * The tasks, the CPUs, and processes by node: below each other on a phone, otherwise in one place.
 * Next to a text, a machine with one CPU shows only its tasks. If the text is about nodes, only
 * CPUs are shown.
 */
function Running({
  info,
  view,
  isInText,
  about,
  cause,
  width_px,
}: Pick<StageProps, "info" | "about"> & {
  view: View;
  isInText: boolean;
  cause: Frame["cause"];
  width_px: number;
}) {
  const isPhone = usePhone();
  const runner = useRunner();
  const isAlone = isInText && about === "nodes";
  const hasCpus = !isInText || view.cpus.length > 1;
  const hasTabs = hasCpus && !isPhone && !isAlone;
  const isShown = (part: Runner) =>
    isAlone ? part === "cpus" : hasCpus && (isPhone ? !isInText : runner === part);
  // On a phone the CPUs come first, because users would not find them below a hundred tasks.
  return (
    <>
      {isShown("cpus") && (
        <Suspense fallback={hasTabs && <div className="tasks" />}>
          <Cpus {...{ info, view, cause, width_px, hasTabs }} />
        </Suspense>
      )}
      {isShown("processes") && showsProcesses(info) && (
        <Suspense fallback={hasTabs && <div className="tasks" />}>
          <Processes {...{ info, view, width_px, hasTabs }} />
        </Suspense>
      )}
      {!isAlone && !(hasTabs && runner !== "tasks") && <Tasks view={view} hasTabs={hasTabs} />}
    </>
  );
}

/**
 * The zone types with a column on every node, and whether two nodes may stand side by side in a
 * narrow stage.
 */
function columnsOf(
  info: Info,
  view: View,
  { isInText, about }: { isInText: boolean; about: About | undefined },
) {
  const names = [...new Set(view.zones.map(({ name }) => name))];
  // If every node has the same single zone, no column is needed for others.
  const isPlain = isInText && names.length === 1;
  return {
    columns: isPlain ? names : zoneColumns(info, view),
    isPair: isPlain && (info.nodes.length === 2 || about === "nodes"),
  };
}

function Nodes({
  info,
  before,
  frame,
  isInText = false,
  about,
  columns,
  arrangement,
  squeeze,
  isWhole,
}: Omit<StageProps, "timeline" | "isRestNow"> & {
  columns: readonly string[];
  arrangement: Arrangement;
  squeeze: Squeeze;
  isWhole: boolean;
}) {
  const { view } = frame;
  const isPhone = usePhone();
  const face = useWorkbenchState((state) => state.face);
  const lists = useMemo(() => readLruPages(frame.lru), [frame.lru]);
  const { abreast, tiles, tile_px, map_off_px, zone_px, node_px, zones_abreast } = arrangement;
  const hasBoth = isInText || isPhone || arrangement.has_lists_beside;
  const beside_px = (node_px - NODE_GAP_PX) / 2;
  const rows = isInText ? TEXT_ROWS : NODE_ROWS;
  const above = about === "nodes" ? ABOVE_ROWS : 0;
  const isBelow = isInText || isPhone;
  const more = useMoreFaces(info, view, isBelow ? null : arrangement.has_lists_beside);
  const { queues, blocks } = more;
  const faceHas = (list: "lru" | "free") =>
    hasBoth || (face === list && !queues.isShown && !blocks.isShown);
  const hasFreeLists = isInText
    ? about === "free"
    : faceHas("free") && !(hasBoth && queues.isShown);
  const places = placesOf(more, { isShared: !hasBoth });
  const isOfBlocks = isInText ? about === "compaction" : isPhone && hasBlocks(info);
  const foldedAt = useFoldedLists(info, view, arrangement.abreast);
  const panels = info.nodes.map((node, i) => {
    const of = { info, node, view };
    const map = frame.maps[i];
    return (
      <section
        key={node.id}
        className="node"
        aria-label={STAGE.node(node.id)}
        style={{
          gridColumn: 1 + (i % abreast),
          gridRow: `${1 + above + rows * Math.floor(i / abreast)} / span ${rows}`,
        }}
      >
        <NodePanel {...{ ...of, before, columns, zone_px, zones_abreast }}>
          {isWhole && about !== "pair" && <GroupsPart {...{ info, view }} isInNode />}
        </NodePanel>
        {/* Above the maps, so that the tab order follows the visual order. */}
        {isWhole && (isInText || !isPhone) && about !== "pair" && i === 0 && (
          <Legend isOfCells={!info.teaching} />
        )}
        {isWhole && map && about !== "compaction" && about !== "zones" && (
          <PageMap
            {...{ ...of, map, tiles, tile_px, map_off_px }}
            zoomed={isInText ? null : frame.zoomed}
          />
        )}
        {isWhole && !about && faceHas("lru") && !(hasBoth && blocks.isShown) && (
          <AgedPages
            node={node.id}
            frame={frame}
            lists={lists}
            width_px={node_px}
            folded={squeeze > 0 ? foldedAt(i) : NO_LISTS}
            place={places.lru}
          />
        )}
        {isWhole && map && (isOfBlocks || blocks.isShown) && (
          <Suspense fallback={<div className="pageblocks" />}>
            <Pageblocks
              {...{ ...of, map }}
              width_px={node_px}
              isOneRow={!isBelow || (isInText && (isPhone || node_px > ABOVE_TEXT_PX))}
              place={isOfBlocks ? null : places.lru}
            />
          </Suspense>
        )}
        {isWhole && hasFreeLists && (
          <FreeLists
            {...{ info, view, before, isInText }}
            node={node.id}
            place={places.free}
            width_px={arrangement.has_lists_beside ? beside_px : node_px}
            isBeside={arrangement.has_lists_beside}
          />
        )}
        {isWhole && (about === "waits" || queues.isShown) && (
          <Suspense fallback={<div className="lists waits-face" />}>
            <QueuesFace
              node={node.id}
              view={view}
              width_px={hasBoth && !about ? beside_px : node_px}
              place={about ? null : places.free}
            />
          </Suspense>
        )}
      </section>
    );
  });
  return <MoreFacesContext value={more}>{panels}</MoreFacesContext>;
}

/**
 * Width for the words above the tanks: a single node's lists stand next to its tanks, as high as
 * they are.
 */
const routeRoom = ({ has_lists_beside, width_px }: Arrangement): number =>
  has_lists_beside ? (width_px - NODE_GAP_PX) / 2 : width_px;

/** Has any task waited in reclaim so far? */
const hasQueues = ({ nodes }: View): boolean => nodes.some(({ queues }) => queues.length > 0);

/**
 * Does any task wait in reclaim in this run, as far as it is known? Then the queues share a place
 * with lists, which becomes higher.
 */
function useQueuesInRun(view: View, isInText: boolean): boolean {
  const timeline = useWorkbenchState((state) => state.session?.timeline);
  const has = hasQueues(view);
  const zones = view.zones.length;
  return useMemo(
    () => !isInText && (has || (timeline ? hasReclaimWaits(readSeries(timeline, zones)) : false)),
    [timeline, has, zones, isInText],
  );
}

const NO_LISTS: readonly boolean[] = [];

/**
 * Lists of all nodes in a row that were empty at every moment seen so far. A list unfolds with its
 * first page and stays, so that nothing moves later in the run.
 */
function useFoldedLists(info: Info, { lru }: View, abreast: number) {
  const seen = useRef<{ of: Info; rows: Map<number, readonly boolean[]> } | null>(null);
  if (seen.current?.of !== info) seen.current = { of: info, rows: new Map() };
  const { rows } = seen.current;
  return (at: number): readonly boolean[] => {
    const row = Math.floor(at / abreast);
    const nodes = info.nodes.slice(row * abreast, (row + 1) * abreast).map(({ id }) => id);
    const key = row * 2 + abreast - 1;
    const empty = stillEmpty(
      rows.get(key) ?? NO_LISTS,
      lru.filter(({ node }) => nodes.includes(node)),
    );
    rows.set(key, empty);
    return empty;
  };
}

/**
 * Does the kernel compact memory, or does any request need a block for which others would compact?
 */
const hasBlocks = ({ compaction, largest_order, pageblock_order }: Info): boolean =>
  compaction !== "not_modelled" || largest_order >= pageblock_order;

/**
 * If free lists stand next to the LRU lists, the queues replace them unless the user chooses
 * otherwise. If all share one place, queues and pageblocks must be chosen. Below each other all
 * have their own place (`isBeside` is null).
 */
function useMoreFaces(info: Info, view: View, isBeside: boolean | null): MoreFaces {
  const [queues, showQueues] = useState<boolean | null>(null);
  const workbench = useWorkbench();
  const blocks = useWorkbenchState((state) => state.isOfBlocks);
  const [hasQ, hasB] = [isBeside !== null && hasQueues(view), isBeside !== null && hasBlocks(info)];
  return {
    queues: { has: hasQ, isShown: hasQ && (queues ?? isBeside === true), show: showQueues },
    blocks: {
      has: hasB,
      isShown: hasB && blocks,
      show: (isShown) => workbench.keep({ isOfBlocks: isShown }),
    },
  };
}

/** The areas that lists share; null if there is nothing to choose. */
function placesOf(
  { queues, blocks }: MoreFaces,
  { isShared }: { isShared: boolean },
): Readonly<Record<"lru" | "free", FaceGroup | null>> {
  if (isShared) return { lru: "all", free: "all" };
  return { lru: blocks.has ? "lru" : null, free: queues.has ? "free" : null };
}

/** Tells the engine the size of a big machine's cells, for a stage with zoomed maps. */
function useCells(info: Info, view: View, cells: number | null): void {
  const workbench = useWorkbench();
  const bounds = view.zones.map(({ start_pfn, spanned }) => `${start_pfn} ${spanned}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones change only with their bounds
  useEffect(() => {
    if (info.teaching || cells === null) return;
    const nodes = info.nodes.map(({ id, ranges }) => ({
      ranges,
      zones: view.zones.filter(({ node }) => node === id),
    }));
    workbench.setCells(cellSpan(nodes, 2 ** info.pageblock_order, cells));
  }, [workbench, info, bounds, cells]);
}
