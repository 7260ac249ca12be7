import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Frame } from "../engine/protocol";
import type { Info, View } from "../engine/types";
import { usePhone } from "../ui/theme";
import { useWorkbench } from "../workbench/context";
import type { Session } from "../workbench/store";
import { FreeLists } from "./FreeLists";
import { Legend } from "./Legend";
import { NodePanel } from "./NodePanel";
import { type MapSize, PageMap } from "./PageMap";
import { RouteLine } from "./RouteLine";
import { Tasks } from "./Tasks";

const MAX_ZOOM = 1.6;
/** Width of the stage as designed: two nodes of 512 and the gaps. */
const DESIGNED_PX = 1080;

/** Zone types that get a column on every node, so that a zone never changes its place. */
export function zoneColumns(info: Info, view: View): string[] {
  const populated = new Set(view.zones.map(({ name }) => name));
  const last = info.zone_types.findLastIndex((name) => populated.has(name));
  const named = info.zone_types.slice(0, last + 1);
  return named.length <= 3 ? named : named.filter((name) => populated.has(name));
}

/** The machine: nodes, zones, route, page maps, free lists and tasks of one moment. */
export function Stage({ session, frame }: { session: Session; frame: Frame }) {
  const isPhone = usePhone();
  const { info, before } = session;
  const columns = zoneColumns(info, frame.view);
  const dimensions = mapSize(info, isPhone);
  const workbench = useWorkbench();
  const cells = dimensions.columns * dimensions.rows;
  useEffect(() => {
    if (!info.teaching) workbench.setCells(cells);
  }, [workbench, info, cells]);
  return (
    <ZoomedStage isPhone={isPhone} nodes={info.nodes.length}>
      {!isPhone && <RouteLine view={frame.view} info={info} columns={columns} />}
      {info.nodes.map((node, i) => {
        const map = frame.maps[i];
        return (
          <section
            key={node.id}
            className="node"
            aria-label={`Node ${node.id}`}
            style={{
              gridColumn: info.nodes.length === 1 ? "1 / -1" : 1 + (i % 2),
              gridRow: `${1 + 4 * Math.floor(i / 2)} / span 4`,
            }}
          >
            <NodePanel
              info={info}
              node={node}
              view={frame.view}
              before={before}
              columns={columns}
            />
            {map && (
              <PageMap
                info={info}
                node={node}
                view={frame.view}
                map={map}
                dimensions={dimensions}
              />
            )}
            <FreeLists info={info} node={node.id} view={frame.view} before={before} />
          </section>
        );
      })}
      <Legend />
      <Tasks view={frame.view} />
    </ZoomedStage>
  );
}

/** Small machines: rows of 64 pages, a pageblock being eight of them. Big ones: 1,536 cells. */
function mapSize(info: Info, isPhone: boolean): MapSize {
  const wide = info.nodes.length === 1 ? 2 : 1;
  if (isPhone) return { columns: 32, rows: 8, cell_px: 11 };
  return { columns: 64 * wide, rows: 24, cell_px: 8 };
}

/** Larger windows show the same picture larger; nothing reflows. */
function ZoomedStage({
  isPhone,
  nodes,
  children,
}: {
  isPhone: boolean;
  nodes: number;
  children: React.ReactNode;
}) {
  const main = useRef<HTMLElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  useLayoutEffect(() => {
    const outer = main.current;
    const machine = inner.current;
    if (!outer || !machine || isPhone || typeof ResizeObserver === "undefined") return setZoom(1);
    const fit = () => {
      const across = outer.clientWidth / DESIGNED_PX;
      const down = outer.clientHeight / machine.offsetHeight;
      const within = Math.min(across, Math.max(1, down), MAX_ZOOM);
      setZoom(Math.max(0.6, Math.floor(within * 100) / 100));
    };
    const observer = new ResizeObserver(fit);
    observer.observe(outer);
    observer.observe(machine);
    return () => observer.disconnect();
  }, [isPhone]);
  return (
    <main ref={main} className="stage" aria-label="The machine">
      <div ref={inner} className="machine" data-nodes={Math.min(2, nodes)} style={{ zoom }}>
        {children}
      </div>
    </main>
  );
}
