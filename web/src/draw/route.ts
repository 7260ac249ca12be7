// The zonelist of the current allocation as a line over the tanks, from stop to stop.

/** Where a stop's circle is and how far the walk is there. */
export interface RouteStop {
  readonly x: number;
  /** Row of nodes it is in; hops between rows are not drawn. */
  readonly row: number;
  readonly state: "passed" | "now" | "took" | "ahead" | "not_allowed";
}

/** One hop between two stops. */
export interface RouteHop {
  readonly path: string;
  readonly look: "walked" | "next" | "rest";
  readonly row: number;
}

const CORNER_PX = 6;
const TIER_PX = 11;

const isBehind = (state: RouteStop["state"]) =>
  state === "passed" || state === "now" || state === "took";

/**
 * Paths of the hops. `foot_y` is where lines meet the circles; a longer hop runs higher, so that no
 * hop hides another.
 */
export function routeHops(stops: readonly RouteStop[], foot_y: number): RouteHop[] {
  const allowed = stops.filter(({ state }) => state !== "not_allowed");
  const hops: RouteHop[] = [];
  for (let i = 0; i + 1 < allowed.length; i += 1) {
    const from = allowed[i];
    const to = allowed[i + 1];
    if (!from || !to || from.row !== to.row) continue;
    const look = isBehind(to.state) ? "walked" : isBehind(from.state) ? "next" : "rest";
    const crosses = allowed.filter(
      ({ x, row }) => row === from.row && x > Math.min(from.x, to.x) && x < Math.max(from.x, to.x),
    ).length;
    const y = foot_y - TIER_PX * (crosses > 0 ? 2 : 1);
    const way = Math.sign(to.x - from.x);
    const x1 = from.x + way * 3;
    const x2 = to.x - way * 3;
    const path = `M${x1} ${foot_y}V${y + CORNER_PX}q0 ${-CORNER_PX} ${way * CORNER_PX} ${-CORNER_PX}H${x2 - way * CORNER_PX}q${way * CORNER_PX} 0 ${way * CORNER_PX} ${CORNER_PX}V${foot_y}`;
    hops.push({ path, look, row: from.row });
  }
  return hops;
}
