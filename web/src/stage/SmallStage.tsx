import { useEffect, useMemo } from "react";
import type { Session } from "../app/store";
import { readBelts } from "../draw/belt";
import type { Frame } from "../engine/protocol";
import { figureStands } from "../ui/behind";
import { usePhone } from "../ui/fit";
import { useLater } from "../ui/later";
import { zoneColumns } from "./columns";
import { Legend } from "./Legend";
import { Levels } from "./Levels";
import { LruLists } from "./LruLists";
import { PageMap } from "./map/PageMap";
import { NodePanel } from "./NodePanel";
import { RouteLine } from "./RouteLine";
import { useRoom } from "./room";
import { Tasks } from "./Tasks";

/** Rows of a node: zones, legend, map, LRU lists. */
const NODE_ROWS = 4;

/**
 * The machine beside a text: what the workbench's stage shows, without free lists and
 * devices. A machine of one zone has room for the history of its level.
 */
export function SmallStage({ session, frame }: { session: Session; frame: Frame }) {
  const { info, before } = session;
  const { view } = frame;
  const isPhone = usePhone();
  const isSingle = view.zones.length === 1;
  const names = [...new Set(view.zones.map(({ name }) => name))];
  // Where every node has the same one zone, there is no column to keep free for another.
  const isPlain = names.length === 1;
  const columns = isPlain ? names : zoneColumns(info, view);
  const isPair = isPlain && info.nodes.length === 2;
  const { main, machine, arrangement, isWhole, style } = useRoom(
    info.nodes.length,
    columns.length,
    {
      isPair,
      isRestNow: useLater(true),
    },
  );
  const { abreast, tiles, tile_px, zone_px, node_px } = arrangement;
  const belts = useMemo(() => readBelts(frame.lru), [frame.lru]);
  useEffect(() => {
    if (isWhole) figureStands();
  }, [isWhole]);
  const [only] = view.zones;
  // A walk over one zone is no way.
  const hasRoute = !isSingle && !isPhone;
  return (
    <section
      ref={main}
      className="stage small-stage"
      data-single={isSingle || undefined}
      aria-label="The machine"
    >
      <div
        ref={machine}
        className="machine"
        data-abreast={abreast}
        data-pair={(isPair && abreast === 2) || undefined}
        style={style}
      >
        {hasRoute && <RouteLine view={view} info={info} width_px={arrangement.width_px} />}
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
                zone_px={zone_px}
                zones_abreast={arrangement.zones_abreast}
              />
              {isWhole && i === 0 && <Legend />}
              {isWhole && map && (
                <PageMap
                  info={info}
                  node={node}
                  view={view}
                  map={map}
                  looks={null}
                  tiles={tiles}
                  tile_px={tile_px}
                />
              )}
              {isWhole && (
                <LruLists
                  node={node.id}
                  view={view}
                  belts={belts}
                  width_px={node_px}
                  hasFaces={false}
                />
              )}
            </section>
          );
        })}
        {isSingle && only && (
          <Levels
            timeline={session.timeline}
            zone={only}
            now_ns={view.position.time_ns}
            width={node_px - zone_px}
          />
        )}
        {isWhole && <Tasks view={view} />}
      </div>
    </section>
  );
}
