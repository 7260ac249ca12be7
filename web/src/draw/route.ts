// Draws the zonelist of the current allocation as a line over the zones, from stop to stop. Nodes
// are in rows of two; between rows the line runs through the margin left of the machine.

/** The position of a stop's circle, and the allocation's progress at that stop. */
export interface RouteStop {
  /** Centre of the circle. */
  readonly x: number;
  /** Its top, where lines end; the same for all stops in one row of zones. */
  readonly y: number;
  readonly state: "passed" | "now" | "took" | "ahead" | "not_allowed";
}

/** One hop between two stops. */
export interface RouteHop {
  readonly path: string;
  readonly look: "walked" | "next" | "rest";
}

const CORNER_PX = 5;
/** The height of a line above the circles increases by this amount with each tier. */
const TIER_PX = 9;
/** Tiers of hops: to a neighbour, over other stops, into a row, out of a row. */
const TIERS = { near: 1, over: 2, into: 3, out: 3.5 } as const;
const MARGIN_PX = -4;
const LANE_PX = 4;
const MOST_LANES = 3;
/** Stops whose heights differ by less are in one row: larger text moves them slightly. */
const SAME_ROW_PX = 8;

const isVisited = (state: RouteStop["state"]) =>
  state === "passed" || state === "now" || state === "took";

/** The paths of the hops, the most important last. A longer hop runs higher, so that none is
 * hidden. */
export function routeHops(stops: readonly RouteStop[]): RouteHop[] {
  const allowed = stops.filter(({ state }) => state !== "not_allowed");
  const lanes: { from: number; to: number; lane: number }[] = [];
  const hops = allowed.slice(1).flatMap((to, i): RouteHop[] => {
    const from = allowed[i];
    if (!from) return [];
    const look = isVisited(to.state) ? "walked" : isVisited(from.state) ? "next" : "rest";
    const path = isSameRow(from, to) ? within(from, to, allowed) : between(from, to, lanes);
    return [{ path, look }];
  });
  const order = ["rest", "next", "walked"];
  return hops.sort((a, b) => order.indexOf(a.look) - order.indexOf(b.look));
}

const isSameRow = (a: RouteStop, b: RouteStop) => Math.abs(a.y - b.y) < SAME_ROW_PX;

function within(from: RouteStop, to: RouteStop, allowed: readonly RouteStop[]): string {
  const left = Math.min(from.x, to.x);
  const right = Math.max(from.x, to.x);
  const isOver = allowed.some((s) => isSameRow(s, from) && s.x > left && s.x < right);
  const y = Math.min(from.y, to.y) - TIER_PX * (isOver ? TIERS.over : TIERS.near);
  const direction = Math.sign(to.x - from.x) || 1;
  return rounded([
    [from.x + direction * 3, from.y],
    [from.x + direction * 3, y],
    [to.x - direction * 3, y],
    [to.x - direction * 3, to.y],
  ]);
}

/** Up, out to the margin, along it to the other row, and down to the stop. */
function between(
  from: RouteStop,
  to: RouteStop,
  lanes: { from: number; to: number; lane: number }[],
): string {
  const out = from.y - TIER_PX * TIERS.out;
  const into = to.y - TIER_PX * TIERS.into;
  const span = { from: Math.min(out, into), to: Math.max(out, into) };
  const taken = lanes.filter((l) => l.from < span.to && l.to > span.from).map(({ lane }) => lane);
  const free = [0, 1, 2].find((lane) => !taken.includes(lane)) ?? MOST_LANES - 1;
  lanes.push({ ...span, lane: free });
  const x = MARGIN_PX - free * LANE_PX;
  return rounded([
    [from.x - 3, from.y],
    [from.x - 3, out],
    [x, out],
    [x, into],
    [to.x + 3, into],
    [to.x + 3, to.y],
  ]);
}

/** A path of vertical and horizontal lines with rounded corners. */
function rounded(points: readonly (readonly [number, number])[]): string {
  return points
    .map(([x, y], i) => {
      const before = points[i - 1];
      const after = points[i + 1];
      if (!before) return `M${x} ${y}`;
      if (!after) return `L${x} ${y}`;
      const [x1, y1] = towards([x, y], before);
      const [x2, y2] = towards([x, y], after);
      return `L${x1} ${y1}Q${x} ${y} ${x2} ${y2}`;
    })
    .join("");
}

function towards([x, y]: readonly [number, number], [tx, ty]: readonly [number, number]) {
  const length = Math.abs(tx - x) + Math.abs(ty - y);
  const part = length > 0 ? Math.min(CORNER_PX, length / 2) / length : 0;
  return [x + (tx - x) * part, y + (ty - y) * part] as const;
}
