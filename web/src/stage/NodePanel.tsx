import { lazy, type ReactNode, Suspense } from "react";
import { size } from "../engine/format";
import type { Info, NodeInfo, View } from "../engine/types";
import { afterFirstFigure } from "../ui/first-figure";
import { Term } from "../ui/term";
import { Kswapd } from "./Kswapd";
import { NODE_PANEL } from "./words";
import { ZoneTank } from "./ZoneTank";

const Directions = lazy(async () => {
  const { Directions: D } = await afterFirstFigure(() => import("./Directions"));
  return { default: D };
});

/** Props of a node's panel. */
export interface NodeProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  /** The view before the last manual step. */
  readonly before: View | null;
  /** Zone types that have a column on every node. */
  readonly columns: readonly string[];
  /** Width of a column, and the number of columns side by side. */
  readonly zone_px: number;
  readonly zones_abreast: number;
  /** What stands below the zones. */
  readonly children?: ReactNode;
}

/** One node: its name, its kswapd, and a column for each zone type. */
export function NodePanel({ columns, zones_abreast, children, ...props }: NodeProps) {
  const { info, node, view } = props;
  const pages = view.zones.filter((z) => z.node === node.id).reduce((sum, z) => sum + z.present, 0);
  const state = view.nodes.find(({ id }) => id === node.id);
  // If zones are below each other, an arrow does not fit, so words replace it.
  const isWrapped = columns.length > zones_abreast;
  return (
    <div className="node-top">
      <header>
        <h2>
          <Term id="node" tabIndex={node.id === 0 ? undefined : -1}>
            {NODE_PANEL.node}
          </Term>{" "}
          {node.id}
        </h2>
        <span className="facts">
          {size(pages, info.page_size)}
          <span className="wide">, {cpuWords(node.cpus)}</span>
        </span>
        {state && <Kswapd state={state} view={view} />}
      </header>
      <div className="zones">
        {columns.map((name) => (
          <Column key={name} name={name} {...props} />
        ))}
      </div>
      {columns.length > 1 && (
        <div className={isWrapped ? "directions said" : "directions"}>
          <Suspense>
            <Directions
              view={view}
              node={node.id}
              columns={columns}
              zone_px={props.zone_px}
              isWrapped={isWrapped}
            />
          </Suspense>
        </div>
      )}
      {children}
    </div>
  );
}

function Column({
  name,
  info,
  node,
  view,
  before,
  zone_px,
}: Omit<NodeProps, "columns" | "zones_abreast" | "children"> & { name: string }) {
  const key = `${node.id}/${name}`;
  const zone = view.zones.find((z) => z.key === key);
  if (!zone) {
    const why =
      node.absent.find(([absent]) => absent === name)?.[1] ?? NODE_PANEL.noMemoryInItsRange;
    return (
      <div className="zone none-h">
        <h3>{name}</h3>
        <div className="none">{NODE_PANEL.noneHere(why)}</div>
      </div>
    );
  }
  const stops = view.route?.stops ?? [];
  const at = stops.findIndex((stop) => stop.zone === key);
  const stop = stops[at] ?? null;
  const earlier = before?.zones.find((z) => z.key === key);
  return (
    <ZoneTank
      zone={zone}
      stop={stop}
      number={stop && stop.state !== "not_allowed" ? numberOf(stops, at) : null}
      mark={view.route?.mark ?? ""}
      isFirst={view.zones[0] === zone}
      page_size={info.page_size}
      zone_px={zone_px}
      hasChanged={earlier !== undefined && earlier.free !== zone.free}
    />
  );
}

const numberOf = (stops: readonly { state: string }[], at: number) =>
  stops.slice(0, at + 1).filter(({ state }) => state !== "not_allowed").length;

/** CPU numbers in words: CPUs 0–11. */
function cpuWords(cpus: readonly number[]): string {
  const [first] = cpus;
  const last = cpus.at(-1);
  if (first === undefined || last === undefined) return "no CPUs";
  if (cpus.length === 1) return `CPU ${first}`;
  const isRun = last - first === cpus.length - 1;
  return isRun ? `CPUs ${first}\u2013${last}` : `CPUs ${cpus.join(", ")}`;
}
