import { orderWords } from "../draw/format";
import { type RouteStop, routeHops } from "../draw/route";
import type { Info, Route, View } from "../engine/types";
import { Name } from "../ui/lit";

/** Pixels between the left edges of two nodes. */
export const NODE_STEP_PX = 536;
/** Pixels between the left edges of two zones. */
const ZONE_STEP_PX = 172;
const STOP_CENTRE_PX = 8.5;
/** Where the lines meet the circles, from the top of the node's row. */
const FOOT_PX = 68;

const WEIGHT = { walked: 2, next: 1.5, rest: 1.5 } as const;

/** The zonelist as a line over the tanks, with the task that walks it. */
export function RouteLine({
  view,
  info,
  columns,
}: {
  view: View;
  info: Info;
  columns: readonly string[];
}) {
  const { route } = view;
  if (!route) return <p className="route-label dim">No allocation in progress.</p>;
  const stops = route.stops.map((stop): RouteStop => place(stop, info, columns));
  const hops = routeHops(stops, FOOT_PX);
  return (
    <>
      <svg className="metro" aria-hidden="true">
        {hops
          .filter(({ row }) => row === 0)
          .map(({ path, look }) => (
            <path
              key={path}
              d={path}
              className={`hop-${look}`}
              strokeWidth={WEIGHT[look]}
              strokeDasharray={look === "next" ? "4 3" : undefined}
            />
          ))}
      </svg>
      <RouteLabel route={route} view={view} page_size={info.page_size} left_px={labelLeft(stops)} />
    </>
  );
}

function place(stop: Route["stops"][number], info: Info, columns: readonly string[]): RouteStop {
  const [node = "0", name = ""] = stop.zone.split("/");
  const at = info.nodes.findIndex(({ id }) => String(id) === node);
  const column = Math.max(0, columns.indexOf(name));
  return {
    x: (at % 2) * NODE_STEP_PX + column * ZONE_STEP_PX + STOP_CENTRE_PX,
    row: Math.floor(at / 2),
    state: stop.state,
  };
}

/** The label begins right of the first stop of its row, but never so far that it is cut. */
const labelLeft = (stops: readonly RouteStop[]) => Math.min(stops[0]?.x ?? 0, 560) + 24;

function RouteLabel({
  route,
  view,
  page_size,
  left_px,
}: {
  route: Route;
  view: View;
  page_size: number;
  left_px: number;
}) {
  const task = view.tasks.find(({ id }) => id === route.task);
  return (
    <p className="route-label" style={{ left: left_px }}>
      <Name k={`task ${route.task}`} className="pill on">
        {task?.name ?? `task ${route.task}`}
      </Name>
      <span>{routeWords(route, page_size)}</span>
    </p>
  );
}

/** What the walk is, and how far: "wants order 0 (4 KiB) from node 0: stop 2 of 4". */
export function routeWords({ order, node, stops, mark }: Route, page_size: number): string {
  const allowed = stops.filter(({ state }) => state !== "not_allowed");
  const at = allowed.findIndex(({ state }) => state === "now" || state === "took");
  const where =
    at < 0
      ? `${allowed.length} stops`
      : `stop ${at + 1} of ${allowed.length}${allowed[at]?.state === "took" ? " gave it" : ""}`;
  const against = mark === "none" || mark === "" ? "" : `, against the ${mark} marks`;
  return `wants ${orderWords(order, page_size)} from node ${node}: ${where}${against}`;
}
