import { memo, useEffect, useMemo } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import { readBelts } from "../draw/belt";
import { cellSpan } from "../draw/map/cellmap";
import type { Frame } from "../engine/protocol";
import type { Info, View } from "../engine/types";
import { figureStands } from "../ui/behind";
import { usePhone } from "../ui/fit";
import { zoneColumns } from "./columns";
import { FreeLists } from "./FreeLists";
import { Io } from "./Io";
import { Legend } from "./Legend";
import { LruLists } from "./LruLists";
import { useLooks } from "./map/looks";
import { PageMap } from "./map/PageMap";
import { NodePanel } from "./NodePanel";
import { RouteLine } from "./RouteLine";
import { useRoom } from "./room";
import { Tasks } from "./Tasks";

/** Rows of a node: zones, legend, map, lists, and free lists where they have a place of their own. */
const NODE_ROWS = 5;

/**
 * The machine: nodes, zones, route, page maps, free lists and tasks of one moment; what lies below
 * the zones when it is time for the rest.
 */
export const Stage = memo(function Stage({
  info,
  before,
  frame,
  isRestNow,
}: Pick<Session, "info" | "before"> & { frame: Frame; isRestNow: boolean }) {
  const isPhone = usePhone();
  const { view } = frame;
  const columns = zoneColumns(info, view);
  const { main, machine, arrangement, isWhole, style } = useRoom(
    info.nodes.length,
    columns.length,
    {
      isRestNow,
    },
  );
  const { abreast, tiles, tile_px } = arrangement;
  useCells(info, view, tiles);
  useLooks(info, frame.maps);
  useEffect(() => {
    if (isWhole) figureStands();
  }, [isWhole]);
  const face = useWorkbenchState((state) => state.face);
  const hasBoth = isPhone || arrangement.has_lists_beside;
  const belts = useMemo(() => readBelts(frame.lru), [frame.lru]);
  return (
    <main ref={main} className="stage" aria-label="The machine">
      <div
        ref={machine}
        className="machine"
        data-abreast={abreast}
        data-beside={arrangement.has_lists_beside || undefined}
        style={style}
      >
        {!isPhone && <RouteLine view={view} info={info} width_px={arrangement.width_px} />}
        {info.nodes.map((node, i) => {
          const map = frame.maps[i];
          return (
            <section
              key={node.id}
              className="node"
              aria-label={`Node ${node.id}`}
              style={{
                gridColumn: 1 + (i % abreast),
                gridRow: `${1 + NODE_ROWS * Math.floor(i / abreast)} / span ${NODE_ROWS}`,
              }}
            >
              <NodePanel
                info={info}
                node={node}
                view={view}
                before={before}
                columns={columns}
                zone_px={arrangement.zone_px}
                zones_abreast={arrangement.zones_abreast}
              />
              {/* Reached where it is seen: above the maps. */}
              {isWhole && !isPhone && i === 0 && <Legend />}
              {isWhole && map && (
                <PageMap
                  info={info}
                  node={node}
                  view={view}
                  map={map}
                  looks={frame.zoomed}
                  tiles={tiles}
                  tile_px={tile_px}
                />
              )}
              {isWhole && (hasBoth || face === "lru") && (
                <LruLists
                  node={node.id}
                  view={view}
                  belts={belts}
                  width_px={arrangement.node_px}
                  hasFaces={!hasBoth}
                />
              )}
              {isWhole && (hasBoth || face === "free") && (
                <FreeLists
                  info={info}
                  node={node.id}
                  view={view}
                  before={before}
                  hasFaces={!hasBoth}
                />
              )}
            </section>
          );
        })}
        {isWhole && (
          <>
            {isPhone && <Legend />}
            <Tasks view={view} />
            <Io info={info} view={view} />
          </>
        )}
      </div>
    </main>
  );
});

/** Tells the engine how large a big machine's cells are to be. */
function useCells(info: Info, view: View, tiles: number): void {
  const workbench = useWorkbench();
  const bounds = view.zones.map(({ start_pfn, spanned }) => `${start_pfn} ${spanned}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones move only when their bounds do
  useEffect(() => {
    if (info.teaching) return;
    const nodes = info.nodes.map(({ id, ranges }) => ({
      ranges,
      zones: view.zones.filter(({ node }) => node === id),
    }));
    workbench.setCells(cellSpan(nodes, 2 ** info.pageblock_order, tiles));
  }, [workbench, info, bounds, tiles]);
}
