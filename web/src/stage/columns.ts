import type { Info, View } from "../engine/types";

/** Zone types with a column on every node, so that a zone never moves. */
export function zoneColumns(info: Info, view: View): string[] {
  const populated = new Set(view.zones.map(({ name }) => name));
  const last = info.zone_types.findLastIndex((name) => populated.has(name));
  const named = info.zone_types.slice(0, last + 1);
  return named.length <= 3 ? named : named.filter((name) => populated.has(name));
}
