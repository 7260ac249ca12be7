// Where a refusal is shown: at the field the engine names, or at the nearest part around it.

import type { Refusal } from "../../engine/types";

/** What is wrong at each place of a form. */
export type PlacedRefusals = ReadonlyMap<string, string>;

/** The place one step further out; none beyond the outermost. */
function around(path: string): string | null {
  const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  return cut > 0 ? path.slice(0, cut) : null;
}

/**
 * Puts refusals where they can be read: at a place that `has` a field or a heading. What is further in
 * than the form goes says where it is; what has no place at all is left over.
 */
export function placed(
  refusals: readonly Refusal[],
  has: (path: string) => boolean,
): { readonly faults: PlacedRefusals; readonly rest: readonly Refusal[] } {
  const faults = new Map<string, string>();
  const rest: Refusal[] = [];
  for (const refusal of refusals) {
    let path: string | null = refusal.path;
    while (path !== null && !has(path)) path = around(path);
    if (path === null) {
      rest.push(refusal);
      continue;
    }
    const said = path === refusal.path ? refusal.reason : `${refusal.path}: ${refusal.reason}`;
    const before = faults.get(path);
    faults.set(path, before === undefined ? said : `${before}; ${said}`);
  }
  return { faults, rest };
}

/** Does a fault lie at a place, or further in? */
export const isRefused = (faults: PlacedRefusals, path: string): boolean =>
  [...faults.keys()].some(
    (other) => other === path || other.startsWith(`${path}.`) || other.startsWith(`${path}[`),
  );
