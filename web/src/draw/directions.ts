// The order in which the allocator and kswapd visit the zones of a node.

import type { View as WholeView } from "../engine/types";

type View = Pick<WholeView, "zones" | "nodes" | "route" | "reclaimers" | "lru">;

/** The allocator or kswapd on its way through the zones. */
export interface Direction {
  readonly who: "allocator" | "kswapd";
  /** Columns of the first and the last zone. */
  readonly from: number;
  readonly to: number;
  /** Column of the present zone; null between two. */
  readonly at: number | null;
  /** False if the walker uses the lists of the whole node, so that no zone is first. */
  readonly isOrdered: boolean;
  /** "The allocator goes from Normal to DMA, now at DMA32". */
  readonly words: string;
}

/**
 * The directions on a node at this moment. The allocator follows the zonelist. If zones own the LRU
 * lists, `balance_pgdat` shrinks from the lowest zone up to the highest useful one, in every such
 * kernel. If the node owns the lists there is no order.
 */
export function directionsOf(view: View, node: number, columns: readonly string[]): Direction[] {
  const here = view.zones.filter((zone) => zone.node === node);
  const placed = columns.map((name) => here.find((zone) => zone.name === name)?.key);
  const place = (key: string | undefined) => {
    const found = placed.indexOf(key);
    return key === undefined || found < 0 ? null : found;
  };
  const out: Direction[] = [];
  const walk = allocator(view, place);
  if (walk) out.push({ ...walk, words: wordsOf("The allocator", walk, columns) });
  const run = kswapd(view, node, columns, placed, place);
  if (run) out.push({ ...run, words: wordsOf(`kswapd${node}`, run, columns) });
  return out;
}

type PlacedDirection = Omit<Direction, "words">;

function allocator(
  { route }: View,
  place: (key: string | undefined) => number | null,
): PlacedDirection | null {
  const stops = (route?.stops ?? []).filter(({ state }) => state !== "not_allowed");
  const mine = stops.filter(({ zone }) => place(zone) !== null);
  const [from, to] = [place(mine[0]?.zone), place(mine.at(-1)?.zone)];
  if (from === null || to === null || from === to) return null;
  const now = mine.find(({ state }) => state === "now" || state === "took");
  return { who: "allocator", from, to, at: place(now?.zone), isOrdered: true };
}

function kswapd(
  view: View,
  node: number,
  columns: readonly string[],
  placed: readonly (string | undefined)[],
  place: (key: string | undefined) => number | null,
): PlacedDirection | null {
  const run = view.reclaimers.find((other) => other.kswapd && other.node === node);
  const isAwake = view.nodes.find(({ id }) => id === node)?.kswapd_awake ?? false;
  if (!run || !isAwake) return null;
  const highest = columns.indexOf(run.highest);
  const reach = placed.flatMap((key, i) =>
    key !== undefined && (highest < 0 || i <= highest) ? [i] : [],
  );
  const [from, to] = [reach[0], reach.at(-1)];
  if (from === undefined || to === undefined || from === to) return null;
  const isOrdered = view.lru.some(({ key }) => key.includes("/"));
  const at = run.zone === "" ? null : place(run.zone);
  return { who: "kswapd", from, to, at, isOrdered };
}

function wordsOf(
  who: string,
  { from, to, at, isOrdered }: PlacedDirection,
  columns: readonly string[],
) {
  const now = at === null ? "" : `, now at ${columns[at]}`;
  return isOrdered
    ? `${who} goes from ${columns[from]} ${to > from ? "up" : "down"} to ${columns[to]}${now}`
    : `${who} reclaims the zones ${columns[from]} to ${columns[to]} together: the node has one set of LRU lists`;
}
